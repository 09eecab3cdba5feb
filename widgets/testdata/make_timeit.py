"""What IPython says of runs that were timed: timeit.json, the reference of TestTimeit_SaysWhatIPythonSays.

python make_timeit.py >timeit.json
"""

import contextlib
import io
import json

from IPython.core.magics.execution import TimeitResult

CASES = [
    ([0.0125] * 7, 100), ([1e-9, 1.5e-9, 2e-9], 10**9), ([2.345678e-6, 2.2e-6, 2.4e-6], 100_000), ([0.5], 1), ([1.0, 9.0], 1),
    ([61.5, 59.5, 75.25], 1), ([4000.0], 1), ([90061.0, 90063.0], 1), ([9.995e-4, 9.999e-4], 1000), ([1.2345e-3] * 3, 1234567),
    ([123.4e-9, 130e-9, 1.1e-6, 0.9e-6], 1000), ([0.3, 0.1, 0.05], 10), ([0.0, 0.0], 10), ([12.0, 13.0], 2), ([1e-12, 2e-12], 10**9),
]


def said(turns, loops):
    """As the magic prints it."""
    result = TimeitResult(loops, len(turns), min(turns), max(turns), [t * loops for t in turns], 0.0, 3)
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out):
        if result.worst > 4 * result.best and result.best > 0 and result.worst > 1e-6:
            print("The slowest run took %0.2f times longer than the fastest. This could mean that an intermediate result is being cached."
                  % (result.worst / result.best))
        print(result)
    out.flush()
    return out.buffer.getvalue().decode()


print(json.dumps([{"turns": turns, "loops": loops, "said": said(turns, loops)} for turns, loops in CASES], indent=1, ensure_ascii=False))
