"""`python -m hierdoc`."""

from hierdoc.cli import main

if __name__ == "__main__":
    main()
