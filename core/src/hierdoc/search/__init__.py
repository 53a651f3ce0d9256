"""The search: from a query to hits."""
