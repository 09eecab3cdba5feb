"""Connects a selector to fsnet compare if it is one function. docs/methods.md describes the protocol.

    def select(fit):
        model = RandomForestClassifier(random_state=fit.seed).fit(fit.X, fit.y)
        return model.feature_importances_, model.predict

    door.serve(select)
"""

import json
import os
import sys
import traceback
from types import SimpleNamespace

import numpy as np


def serve(select):
    """Answers every fit with the k features that have the highest scores.

    select takes a fit: X (n×d), y (classes from 0, or quantities), k, seed (below 2³²), classes (their number; 0 for quantities),
    features (their names) and progress(done, of, stage). It returns d scores, or d scores and a function that predicts rows.
    """
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries may print; standard output is for answers

    def say(**answer):
        print(json.dumps(answer), file=out, flush=True)

    predict = None
    for line in sys.stdin:
        request = json.loads(line)
        number = {name: request[name] for name in ("fit", "predict") if name in request}
        try:
            X = np.load(request["x"])
            if "predict" in request:
                say(**number, y=np.asarray(predict(X)).ravel().tolist())
                continue
            scores = select(SimpleNamespace(
                X=X, y=np.load(request["y"]), k=request["k"], seed=request["seed"] % 2**32, classes=request.get("classes", 0),
                features=request["features"], progress=lambda done, of, stage="": say(progress=[done, of], stage=stage)))
            scores, predict = scores if isinstance(scores, tuple) else (scores, None)
            scores = np.nan_to_num(np.asarray(scores, float), nan=-1e300, posinf=1e300, neginf=-1e300)
            best = np.argsort(-scores, kind="stable")[:request["k"]]
            say(**number, selected=best.tolist(), scores=scores[best].tolist(), predicts=predict is not None)
        except Exception as e:  # this fit failed; the next need not
            traceback.print_exc()
            say(**number, error=" ".join(f"{type(e).__name__}: {e}".split()))
