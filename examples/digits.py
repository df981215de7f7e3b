"""Which pixels of handwritten digits matter? Rank them, look at the top, write a page.

python examples/digits.py [report.html]
"""

import sys

from sklearn.datasets import load_digits

from unsuprank import Genie3

digits = load_digits(as_frame=True)
ranker = Genie3(n_estimators=100, random_state=0).fit(digits.data)

print("The ten most telling pixels (row_column):")
for name in ranker.feature_names_in_[ranker.order_[:10]]:
    print("  ", name)

# The first and the last column of the image are nearly always blank: they should come last.
print("The five least telling:", ", ".join(ranker.feature_names_in_[ranker.order_[-5:]]))

if len(sys.argv) > 1:
    ranker.report(
        digits.data, sys.argv[1], title="digits", labels=digits.target, label_name="digit"
    )
    print("Open", sys.argv[1])
