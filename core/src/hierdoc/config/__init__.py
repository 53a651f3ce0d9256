"""What a user writes: the models behind `hierdoc.yaml`, and how the file is found and read."""
