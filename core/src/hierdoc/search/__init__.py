"""The search: a query is parsed once, its legs run side by side, and one ranking goes through the stages."""
