"""PDF, Word, PowerPoint, Excel and more through markitdown, for hierdoc."""
