"""The commands that this plugin brings."""
