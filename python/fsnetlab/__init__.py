"""FsNet for Python programs: a selector and predictor after scikit-learn's conventions, and functions for AnnData.

    model = fsnetlab.FsNet(n_features_to_select=10, random_state=1).fit(X, y)
    fsnetlab.select(adata, "cell_type", 20)

Each fit runs the installed command fsnet. docs/python.md has a whole example.
"""

from .cells import select, stability
from .estimators import FsNet, FsNetRegressor, Selected

__all__ = ["FsNet", "FsNetRegressor", "Selected", "select", "stability"]
