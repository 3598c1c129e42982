# %% [markdown]
# # A first look at a table
#
# Open this file as a notebook (JupyterLab with Jupytext, VS Code, PyCharm), or run it with `python`. Below each cell
# stands what it shows; a test runs the cells and compares.

# %%
from pathlib import Path
from tempfile import mkdtemp

import leakgauge as lg
from leakgauge.jobs.samples import adult_rows

rows = adult_rows().slice(0, 3000)
people = lg.open_table(rows)
people
# → Table of 3,000 rows and 11 columns
# → Column | Kind of values
# → id | whole numbers
# → age | whole numbers
# → sex | text
# → race | text
# → native_country | text
# → education | text
# → workclass | text
# → hours_per_week | whole numbers
# → income | text
# → marital_status | text
# → occupation | text

# %% [markdown] Which columns identify people, and which tell on the secret?

# %%
lg.survey(people, secrets=["marital_status"])
# → 3,000 rows of frame
# → Every column, the most revealing first
# → Column | Different values | Missing | Unique rows | Reveals about the secrets | Suggested role
# → id | 3,000 | 0 | 3,000 | marital_status: at least 1.79, at most 1.89 bits, guessed correctly 100% | leave out: nearly all values are unique
# → age | 67 | 0 | 3 | marital_status: at least 0.276, at most 0.401 bits, guessed correctly 63% | coarsen: singles people out
# → income | 2 | 0 | 0 | marital_status: at least 0.152, at most 0.201 bits, guessed correctly 53% | public: reveals little
# → sex | 2 | 0 | 0 | marital_status: at least 0.124, at most 0.17 bits, guessed correctly 54% | public: reveals little
# → hours_per_week | 71 | 0 | 12 | marital_status: at least 0.0227, at most 0.125 bits, guessed correctly 52% | coarsen: singles people out
# → occupation | 14 | 0 | 0 | marital_status: at least 0.0615, at most 0.104 bits, guessed correctly 52% | coarsen: singles people out
# → native_country | 40 | 0 | 9 | no more than chance | coarsen: singles people out
# → education | 16 | 0 | 0 | marital_status: at least 0.0106, at most 0.0473 bits, guessed correctly 48% | coarsen: singles people out
# → workclass | 7 | 0 | 1 | marital_status: at least 0.017, at most 0.0506 bits, guessed correctly 47% | public: reveals little
# → race | 5 | 0 | 0 | marital_status: at least 0.00496, at most 0.0314 bits, guessed correctly 48% | public: reveals little
# → marital_status | 7 | 0 | 0 | – | secret: as chosen
# → These columns identify people; do not publish them: id.
# → Combinations of columns that single people out
# → Columns | Groups | Unique rows | Rows, or persons, in the smallest group
# → age, hours_per_week | 800 | 445 | 1
# → age, education | 540 | 190 | 1
# → age, native_country | 298 | 184 | 1
# → education, hours_per_week | 351 | 160 | 1
# → hours_per_week, occupation | 365 | 155 | 1
# → education, workclass, occupation | 376 | 148 | 1
# → age, occupation | 593 | 128 | 1
# → race, education, occupation | 299 | 114 | 1
# → native_country, education | 166 | 94 | 1
# → native_country, hours_per_week | 196 | 94 | 1
# → native_country, occupation | 157 | 82 | 1
# → workclass, hours_per_week | 185 | 68 | 1

# %% [markdown]
# A mechanism, what it promises, and what its channel satisfies in other notions.

# %%
answer = lg.mechanisms.randomized_response(1.0, letters=["Divorced", "Married", "Single"])
answer
# → Mechanism randomized-response
# → Part | Value
# → epsilon | 1
# → letters | Divorced|Married|Single
# → claims | local-dp at most 1
# → values | 3

# %%
lg.notions.levels(answer.channel(), lg.Distribution(["Divorced", "Married", "Single"], [0.2, 0.5, 0.3]))
# → Exact levels
# → Notion | Level | Worst case between
# → local-dp | 1 | Divorced against Married at Divorced
# → maximal-leakage | 0.789 bits | –
# → identifiability | 1.92 | Married against Divorced at Married
# → mutual-information | 0.165 bits | –
# → min-entropy-leakage | 0.204 bits | –
# → sibson-leakage (order 2) | 0.316 bits | –
# → alpha-leakage (order 2) | 0.258 bits | –
# → renyi-dp (order 2) | 0.618 | Divorced against Married
# → zcdp | 0.364 | Divorced against Married
# → gaussian-dp | 0.992 standard deviations | Divorced against Married
# → approximate-dp (δ = 1e-06) | 1 | Divorced against Married
# → total-variation | 0.364 | Divorced against Married
# → mutual-information-dp | 0.178 bits | –

# %% [markdown]
# The channel that leaks least where a fifth of the values may change.

# %%
joint = people.counts("marital_status", "occupation").joint()
lg.design.solve(lg.design.RateDistortion(joint, lg.Hamming(), lg.MaxDistortion(0.2), lg.Knowledge.ATTACKER))
# → The channel that leaks least
# → Mean distortion | I(X;Y) | I(X;Y,Z) | ε | Values | Gap | Slope
# → 0.2 | 0.682 bits | 0.742 bits | 3.76 | 3 | 1e-09 bits | 2.45
# → The background alone reveals I(X;Z) = 0.1 bits; no channel leaks less.
# → ε is reached where Divorced is released: by Divorced against Married-civ-spouse.
# → Identifiability under these frequencies: 6.84.
# → Values of 7.7% of the rows are never released; --keep shares releases every value as often as it occurs.
# → No equally useful channel that reads the secret alone has less I(X;Y,Z) than these, except within the gap. Designed from this table's counts.

# %% [markdown]
# A plan says what is released; `lg.protect` makes one, attacks the release and judges it. A seed makes this a
# rehearsal, which protects nobody.

# %%
lg.ReleasePlan(
    {"marital_status": "randomized-response:epsilon=1,letters=this-table"},
    public=["age", "sex"],
    bins={"age": "width:10"},
)
# → Plan that protects one row
# → Column | Released through | Coarser by
# → marital_status | randomized-response:epsilon=1,letters=this-table
# → age | nothing: it is public | width:10
# → sex | nothing: it is public

# %%
done = lg.protect(
    rows,
    Path(mkdtemp()) / "out",
    secret="marital_status",
    public=["sex"],
    max_distortion=0.35,
    simulate=1,
)
done.verdict
# → Recommendation: do not release.
# → it is a simulation, whose noise follows from a seed, so it protects nobody
# → an attacker becomes 50.1 of 100 surer about the most exposed tenth of those who share a value; the default policy allows 45
# → An attacker guesses the marital_status of 2,001 of 3,000 people correctly with this release, and of 1,400 without it; nobody's can be guessed with 90% certainty or more because of it.
# → Risks to people
# → Singling out 0 of 3,000 people are alone in the published columns; before: nobody. Attacker: finds rows by the published columns. ✓ at most 5% alone: met
# → Linking 2 of 3,000 people have their row found by the published columns; before: 1. Attacker: finds rows by the published columns. ✓ at most 5% beyond doubt: met
# → Inferring 2,001 of 3,000 people have their marital_status guessed correctly; before: 1,400. Attacker: knows which row is whose. ✗ surest at most 45: NOT MET
# → Scores, 0 to 100
# → protection 62.4 How much of what an attacker could not tell about an average person stays hidden. 0: the original data; 100: nothing is revealed. ✓ at least 60: met
# → surest 50.1 How much surer an attacker becomes about the most exposed tenth of those with the worst-affected value. 0: no surer; 100: certain. Lower is better. ✗ at most 45: NOT MET
# → usefulness 28.4 (poor) How many of the original rows the recipient's shares, means and cross-tables are worth, on average. 0: none; 100: all. ✓ at least 20: met
# → Guarantee: ε = 2.42. Whatever is known, the protected columns change the odds of any two values of one person at most 12-fold. The guarantee holds for the noise only, not for what its tuning on this table's counts reveals.
# → Worth to readers: they know each share of marital_status to within 2.4 points, 95 times in 100; its tables with sex cannot be computed.
# → What was not checked:
# → Other releases of the same people: none was named, so none was counted.
# → Attackers who know something of a person beforehand: no background was declared.
# → How sensitive the data are: nobody declared it.
# → Whether there is a legal basis for the release.
# → What would change it
# → What to do | What it does | Recommendation then | Options to add | Options to leave out
# → take out sex | protection 62.4 → 63.6, usefulness 28.4 → 56.7 | release if the conditions are met | – | --public sex
# → change 40% of the values of marital_status instead of 35% | protection 62.4 → 69.7, usefulness 28.4 → 27.3 | release if the conditions are met | --max-distortion 0.4 | --max-distortion 0.35
# → Each option is this job with these settings changed. Its scores were calculated without making a release.

# %% [markdown]
# The strongest attack, and the report to sign.

# %%
done.read(lg.artefacts.Audit, "audit.json").strongest
# → Attacks
# → Attack | Correct without the release | Correct with it | Advantage, in percentage points | Gain from unrelated data (should be 0) | Gain from the original data | Newly guessed | Most the guarantee allows
# → attribute inference, learnt | 47% | 68% [64%, 72%] | 21% [17%, 25%] | 0% [-0.97%, 0.97%] | 53% | 271 | 86%
# → Target: marital_status. Method: the most likely value, given everything published and known, learnt from other rows of both tables; 3,000 rows, best predicted by a look-up by sex

# %%
lg.Report.of(done.folder)
# → Recommendation: do not release.
# → it is a simulation, whose noise follows from a seed, so it protects nobody
# → an attacker becomes 50.1 of 100 surer about the most exposed tenth of those who share a value; the default policy allows 45
# → The report rests on 17 files; to_html(path), to_pdf(path) and to_markdown(path) write it.
