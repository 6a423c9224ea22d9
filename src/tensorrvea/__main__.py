"""``python -m tensorrvea`` is the command line."""

from tensorrvea.cli import main

if __name__ == "__main__":
    main()
