"""The built-in `sqlite` vector backend."""
