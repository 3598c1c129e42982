"""The frozen commands by name; each line of one is typed after ``leakgauge`` in one folder, in order."""

from __future__ import annotations

JOB = "protect people.csv --simulate 7 -o job"
COMMANDS: dict[str, str] = {
    # protect: one secret, every way to say how much noise it gets
    "distortion": f"{JOB} --secret illness --background city --public city --max-distortion 0.2",
    "leakage": f"{JOB} --secret illness --background city --public sex --max-leakage 0.3",
    "local-dp": f"{JOB} --secret illness --public city --local-dp 1",
    "min-protection": f"{JOB} --secret illness --public city --min-protection 60",
    "min-usefulness": f"{JOB} --secret illness --public city --min-usefulness 20 --use rows",
    "mechanism": f"{JOB} --secret illness --mechanism randomized-response:epsilon=1",
    "mechanisms": f"{JOB} --secret illness --public city --max-distortion 0.5 --mechanism "
    "randomized-response:epsilon=1 --mechanism randomized-response:epsilon=2",
    "keep-nothing": f"{JOB} --secret illness --max-distortion 0.3 --keep nothing",
    "keep-associations": f"{JOB} --secret illness --public city --public sex --max-distortion 0.2 --keep associations",
    "publish-shares": f"{JOB} --secret illness --public city --max-distortion 0.2 --publish-shares",
    "declared": f"{JOB} --secret illness --background city --public city --min-protection 55 --purpose teaching "
    "--recipient 'a university' --review 2099-11-16 --prepared-by 'Data office' --releases-per-period 4",
    "declared-zh": f"{JOB} --secret illness --background city --public city --min-protection 55 --purpose 教学 "
    "--recipient 某大学 --review 2099-11-16 --language zh",
    "both-languages": f"{JOB} --secret illness --public city --max-distortion 0.2 --report-language both",
    "policy": f"{JOB} --secret illness --public city --max-distortion 0.3 --policy policy.toml",
    "impossible": f"{JOB} --secret illness --public city --min-protection 99 --min-usefulness 90",
    "identifier": f"{JOB} --secret illness --public id --max-distortion 0.2",
    "accepted": f"{JOB} --secret illness --public age --accept-unique age --bins age=width:10 --max-distortion 0.2",
    "two-roles": f"{JOB} --secret city --background city --max-distortion 0.2",
    "paper-diagram": f"{JOB} --secret illness --public city --max-distortion 0.2 --diagram paper --confidence 0.9",
    # protect: whole tables
    "two-secrets": f"{JOB} --secret illness --secret smoker --public city --max-distortion illness=0.2 "
    "--max-distortion smoker=0.1",
    "together": f"{JOB} --secret illness --secret smoker --together --public city --max-distortion 0.3",
    "withheld": f"{JOB} --secret smoker --withhold illness --public city --max-distortion 0.1",
    "public-through": f"{JOB} --secret illness --public city=0.1 --public sex --max-distortion 0.2",
    "coarser": f"{JOB} --secret illness --public city --public age --levels city=cities.csv:1 --bins age=width:20 "
    "--suppress-below 5 --max-distortion 0.2",
    "min-k": f"{JOB} --secret illness --public city --public age --levels city=cities.csv --bins age=width:10 "
    "--bins age=width:20 --bins age=width:40 --min-k 20 --max-suppressed 0.1 --max-distortion 0.2",
    "months": f"{JOB} --secret illness --public city --max-distortion 0.2\n"
    "protect february.csv --repeat job --simulate 8 -o second",
    "panel": "protect panel.csv --secret illness --public city --unit person --rows-per-unit 6 --max-leakage 0.6 "
    "--simulate 7 -o job",
    "panel-known": "protect panel.csv --secret illness --background sex --public city --unit person --max-distortion "
    "0.3 --simulate 7 -o job",
    "warts": "protect warts.csv --secret illness --public 'sex = gender' --background 'home, town' --missing ? "
    "--decimal , --date-format dd/mm/yyyy --max-distortion 0.2 --simulate 7 -o job",
    "dates": "protect warts.csv --secret born --date-format dd/mm/yyyy --bins born=year --max-distortion 0.4 "
    "--simulate 7 -o job",
    "within": "protect numbers.csv --secret cost --public city --within 200 --simulate 7 -o job",
    "noise": "protect numbers.csv --secret age --public city --mechanism laplace:epsilon=1,lower=18,upper=90 --clamp "
    "--simulate 7 -o job",
    "searched-number": "protect numbers.csv --secret stars --public city --min-protection 50 --simulate 7 -o job",
    "chinese": "protect chinese.csv --secret 疾病 --public 城市 --background 性别 --max-distortion 0.2 --simulate 7 "
    "-o job --language zh",
    "adult": "protect adult.csv --secret marital_status --background occupation --public occupation --max-distortion "
    "0.2 --simulate 7 -o job",
    # after protect
    "report": f"{JOB} --secret illness --public city --max-distortion 0.2\nreport job --format md -o r.md\n"
    "report job --edition external --language zh --format md -o x.md",
    "kit": f"{JOB} --secret illness --public city --max-distortion 0.2 --publish-shares\nestimate job/kit\n"
    "estimate job/kit --crosstab illness,city --language zh",
    "assessed": f"{JOB} --secret illness --public city --max-distortion 0.2\nassess job --json\n"
    "assess job --language zh --fuzzy paper-a",
    # single verbs
    "survey": "survey people.csv --secret illness\nsurvey people.csv --secret illness --secret smoker --json\n"
    "survey panel.csv --secret illness --unit person --language zh",
    "survey-warts": "survey warts.csv --secret illness --missing ? --decimal , --date-format dd/mm/yyyy",
    "measure": "measure people.csv --secret illness --background city --weights weights.csv\n"
    "measure people.csv --secret illness --release smoker --json\n"
    "measure numbers.csv --secret cost --background city --bins cost=quantiles:5 --language zh",
    "measure-panel": "measure panel.csv --secret illness --background city --unit person\n"
    "measure people.csv --secret illness --secret smoker --together --estimator nsb",
    "design": "design people.csv --secret illness --max-distortion 0.2 -o c.json\n"
    "design people.csv --secret illness --background city --knowledge both --max-leakage 0.2 -o b.json\n"
    "design people.csv --secret illness --after c.json --max-distortion 0.3 -o d.json --language zh",
    "design-curve": "design people.csv --secret illness --curve 8 -o curve.csv\n"
    "design people.csv --secret illness --through smoker --max-distortion 0.1 -o t.json --json",
    "design-kept": "design people.csv --secret illness --keep shares --never-changed none --max-distortion 0.2 "
    "-o k.json\ndesign numbers.csv --secret cost --within 300 -o n.json\n"
    "design people.csv --secret illness --least guess --max-distortion 0.2 -o g.json",
    "compare": "compare people.csv --secret illness randomized-response:epsilon=1 --max-distortion 0.5\n"
    "compare people.csv --secret illness --background city randomized-response:epsilon=2 --max-leakage 0.8 --json\n"
    "compare numbers.csv --secret age laplace:epsilon=1,lower=18,upper=90 --distortion absolute --max-distortion 30 "
    "--language zh",
    "improve": "improve people.csv --secret illness --public city --min-protection 60\n"
    "improve people.csv --secret illness --min-usefulness 30 --json\n"
    "improve people.csv --secret illness --min-protection 60 --min-usefulness 95 --language zh",
    "release": "release people.csv --plan plan.toml --simulate 7 -o out.csv\nverify out.csv.json\n"
    "audit out.csv.json --original people.csv --background sex --simulate 7 -o audit.json\n"
    "assess out.csv.json audit.json --original people.csv --background sex",
    "release-parquet": "release people.csv --plan plan.toml --simulate 7 -o out.parquet\n"
    "estimate out.parquet --channel "
    "'illness=randomized-response:epsilon=1,letters=none|cold|asthma|diabetes|rare fever' --language zh\n"
    "release people.csv --plan plan.toml --dry-run -o none.csv",
    "foreign": "audit --released people.csv --original people.csv --secret illness --key id --simulate 7\n"
    "audit --released people.csv --original people.csv --secret illness --key id --simulate 7 --language zh -o a.json",
    "audit": "audit randomized-response:epsilon=1,letters=a|b --samples 5000 --simulate 7\n"
    "audit laplace:epsilon=1,sensitivity=1 --claim dp:0.5 --samples 20000 --simulate 7 --json",
    "relate": "relate local-dp:1.0\nrelate identifiability:3.5 --language zh\nrelate mutual-information:0.2bits --json",
    "query": "query people.csv count --epsilon 1 --where city=Northport --simulate 7\n"
    "query people.csv mean --column age --lower 18 --upper 90 --epsilon 1 --simulate 7 --json\n"
    "query people.csv histogram --column city --labels 'Northport|Eastham|Southfield' --epsilon 1 "
    "--simulate 7 --language zh",
    "ledger": "ledger open b.ledger --dataset people --epsilon 2\nledger show b.ledger",
    # places
    "places-survey": "location survey pings.csv --lat latitude --lon longitude --cell 1km --user user",
    "places-design": "location design pings.csv --lat latitude --lon longitude --cell 2km --max-distance 1km -o c.json",
    "places-compare": "location compare pings.csv --lat latitude --lon longitude --cell 2km --max-distance 1km "
    "--language zh",
    "places-protect": "location protect pings.csv --lat latitude --lon longitude --cell 2km --user user --time time "
    "--reports-per-user 12 --epsilon-per-km 2 --simulate 7 -o job",
    "places-track": "location track pings.csv --lat latitude --lon longitude --cell 2km --user user --time time "
    "--epsilon-per-km 2 --json",
    # refusals
    "misuse": "protect people.csv --secret ilness --max-distortion 0.2 -o job\n"
    "protect people.csv --secret illness -o job\nprotect none.csv --secret illness --max-distortion 0.2 -o job\n"
    "protect people.csv --secret illness --max-distortion -1 -o job --language zh\n"
    "design people.csv --secret illness --max-leakage nan -o c.json --json\nsurvey people.csv --sekret illness",
}
