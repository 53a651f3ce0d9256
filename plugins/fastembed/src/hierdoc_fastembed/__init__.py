"""Embeddings by ONNX models through fastembed, for hierdoc."""
