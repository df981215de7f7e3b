"""`python -m unsuprank.study reproduce|data ...`"""

if __name__ == "__main__":
    from .commands import app

    app(prog_name="python -m unsuprank.study")
