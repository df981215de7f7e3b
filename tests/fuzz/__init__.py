"""Damaged input at every front door: files, stored results, saved scores, command lines.

A *door* (:mod:`.doors`) is a way into the package with some valid inputs. Mutants of these
(:mod:`.mutants`) go through the door in a process of their own (:mod:`.worker`), with limits on
memory and time and a guard that sees every file that is opened for writing and every pickle that is
loaded. What may come out is an answer or a documented error. The parent (:mod:`.campaign`) starts
the next process after a crash, and keeps the input of every finding.

    python -m fuzz --count 10000 --seed 1           (from the directory of the tests)
    python -m fuzz --doors csv,npz                  some of the doors, a fresh seed
"""
