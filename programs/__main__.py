"""``python -m programs``."""

from programs.cli.app import main

if __name__ == "__main__":
    main()
