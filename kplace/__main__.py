"""``python -m kplace``: the command line."""

from kplace.cli.main import main

if __name__ == "__main__":
    main()
