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
# → column | kind
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
# → Survey of 3,000 rows; 14.8% of them are unique in age, hours_per_week
# → column | kind | values | missing | alone | reveals about marital_status | suggested
# → id | whole numbers | 3,000 | 0 | 100% | 1.84 bits | leave out
# → age | whole numbers | 67 | 0 | 0.1% | 0.401 bits | coarsen
# → income | text | 2 | 0 | 0% | 0.178 bits | public
# → sex | text | 2 | 0 | 0% | 0.148 bits | public
# → hours_per_week | whole numbers | 71 | 0 | 0.4% | 0.125 bits | coarsen
# → occupation | text | 14 | 0 | 0% | 0.1 bits | coarsen
# → native_country | text | 40 | 0 | 0.3% | 0.0531 bits | coarsen
# → education | text | 16 | 0 | 0% | 0.0472 bits | coarsen
# → workclass | text | 7 | 0 | 0.03% | 0.0415 bits | public
# → race | text | 5 | 0 | 0% | 0.0245 bits | public
# → marital_status | text | 7 | 0 | 0% |  | secret

# %% [markdown]
# A mechanism, what it promises, and what its channel satisfies in other notions.

# %%
answer = lg.mechanisms.randomized_response(1.0, letters=["Divorced", "Married", "Single"])
answer
# → Mechanism randomized-response
# → epsilon | 1
# → letters | Divorced|Married|Single
# → claims | local-dp at most 1 nats
# → values | 3

# %%
lg.notions.levels(answer.channel(), lg.Distribution(["Divorced", "Married", "Single"], [0.2, 0.5, 0.3]))
# → Levels
# → notion | level | reached between
# → local-dp | 1 nats | Divorced and Married
# → maximal-leakage | 0.789 bits
# → identifiability | 1.92 nats | Married and Divorced
# → mutual-information | 0.165 bits
# → min-entropy-leakage | 0.204 bits
# → sibson-leakage | 0.316 bits
# → alpha-leakage | 0.258 bits
# → renyi-dp | 0.618 nats | Divorced and Married
# → zcdp | 0.364 nats | Divorced and Married
# → gaussian-dp | 0.992 standard deviations | Divorced and Married
# → approximate-dp | 1 nats | Divorced and Married
# → total-variation | 0.364 probability | Divorced and Married
# → mutual-information-dp | 0.178 bits

# %% [markdown]
# The channel that leaks least where a fifth of the values may change.

# %%
joint = people.counts("marital_status", "occupation").joint()
lg.design.solve(lg.design.RateDistortion(joint, lg.Hamming(), lg.MaxDistortion(0.2), lg.Knowledge.ATTACKER))
# → Solution: the channel that leaks least, knowledge: attacker
# → leakage I(X;Y) | 0.682 bits
# → leakage with background I(X;Y,Z) | 0.742 bits
# → background floor I(X;Z) | 0.1 bits
# → mean distortion | 0.2
# → local ε | 3.75 nats
# → identifiability | 6.83 nats
# → slope | 2.45 nats per unit of distortion
# → gap to the optimum, at most | 1.00e-09 bits
# → letters released | 3

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
# → column | released through | coarser by
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
# → Verdict
# →  |  | interval | secret
# → recommendation | do not release
# → because | it is a simulation, whose noise follows from a seed, so it protects nobody
# → because | protection is 62.4 of 100
# → protection | 62.4 of 100 |  | marital_status
# → exposed | 0% of people |  | marital_status
# → guarantee | 16.4 of 100 |  | marital_status
# → usefulness | 23.4 of 100 |  | marital_status
# → effect | 76.4 of 100 |  | marital_status
# → efficiency | 100 of 100 |  | marital_status
# → would change it | draw its noise for real

# %% [markdown]
# The strongest attack, and the report to sign.

# %%
done.read(lg.artefacts.Audit, "audit.json").strongest
# → Finding: attribute inference, learnt
# → target | marital_status
# → knows | nothing
# → success | 68.1 [64.9, 71.2]% of the targets at 95%
# → baseline, without the release | 46.7% of the people
# → advantage | 21.4 [17.8, 25]% of the targets at 95%
# → advantage on an independent release | 0 [-0.97, 0.97]% of the targets at 95%
# → advantage on the raw data | 53.3% of the people
# → right only with the release | 271 targets
# → the claim allows | 85.6% of the targets
# → beats the claim | no
# → method | the most likely value, given everything published and known, learnt from other rows of both tables; of 3000 rows, best predicted by a look-up by sex

# %%
lg.Report.of(done.folder)
# → Report
# → recommendation | do not release
# → because | it is a simulation, whose noise follows from a seed, so it protects nobody
# → because | protection is 62.4 of 100
# → rests on | 16 files
# → to read it | to_html(path), to_pdf(path), to_markdown(path)
