"""The ingest: from files to records."""
