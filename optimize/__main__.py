"""``python -m optimize``."""

from optimize.cli.app import main

if __name__ == "__main__":
    main()
