"""The grammar of citations: found in text, and brought to one form, the key, by which they can be compared."""
