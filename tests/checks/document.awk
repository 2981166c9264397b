# Runs the commands of a document in the present folder and compares what they print with what the document says.
# Use: awk -f document.awk DOCUMENT      (-v log_file=FILE, where output goes; -v update=1 prints the document with real output)
#
# In a document, commands stand in blocks marked `console`, behind "$ "; lines behind "> " continue them.  What follows is
# what they print.  A command ends with `# exit N` (or `# exit N or M`) where its exit status is N and not 0.
#   - "…" stands for anything within a line; alone on a line, for any lines.
#   - A time (12.3 ms) matches any time, with or without its spread (12.1 ms to 12.9 ms, 9 runs), and what a machine is, "on cpu (2 cores, AVX2)", any machine of that kind.
#   - Of blocks marked `console varies` only the exit status counts.
#   - A block marked `c file=NAME` (or another language) is written to that file; a block marked `diff` is applied.
# Commands for a machine that is not there (-v absent=opencl:0) are left out.

function quote(text) { gsub(/'/, "'\\''", text); return "'" text "'" }

function normal(line)
{
    gsub(/[0-9][0-9.]* (ms|us)/, "TIME", line)
    line = line " "
    gsub(/[0-9][0-9.]* s /, "TIME ", line)
    gsub(/[0-9][0-9.]* s,/, "TIME,", line)
    gsub(/[0-9][0-9.]* s;/, "TIME;", line)
    gsub(/[0-9][0-9.]* s\./, "TIME.", line)
    gsub(/[0-9][0-9.]* s\)/, "TIME)", line)
    gsub(/ \(TIME to TIME, [0-9]+ runs\)/, "", line)
    gsub(/on (cpu|cuda:[0-9]+|opencl:[0-9]+) \(([^()]|\([^()]*\))*\)/, "on MACHINE", line) # a name may have its own (R)
    sub(/ +$/, "", line)
    return line
}

# Whether a line is as expected: what stands between the "…" comes in this order.
function fits(line, expected,    pieces, count, i, at)
{
    line = normal(line); expected = normal(expected)
    count = split(expected, pieces, "…")
    if (count <= 1) return line == expected
    if (substr(line, 1, length(pieces[1])) != pieces[1]) return 0
    line = substr(line, length(pieces[1]) + 1)
    for (i = 2; i < count; i++) {
        if (!(at = index(line, pieces[i])) && pieces[i] != "") return 0
        line = substr(line, at + length(pieces[i]))
    }
    return length(line) >= length(pieces[count]) && substr(line, length(line) - length(pieces[count]) + 1) == pieces[count]
}

# Whether lines from `from` on are as expected from `at` on.
function matches(from, at)
{
    while (at <= expected_count) {
        if (expected[at] == "…") {
            for (; from <= printed_count + 1; from++)
                if (matches(from, at + 1)) return 1
            return 0
        }
        if (from > printed_count || !fits(printed[from], expected[at])) return 0
        from++; at++
    }
    return from == printed_count + 1
}

function say(text) { if (update) print text }

function run(    status, wanted, right, i, same)
{
    if (command == "") return
    wanted = match(command, /# exit [0-9]+( or [0-9]+)?$/) ? substr(command, RSTART + 7) : "0"
    if (absent != "" && index(command, absent)) {
        left_out++
        for (i = 1; i <= expected_count; i++) say(expected[i])
        command = ""
        return
    }
    system("sh -c " quote(command) " >" quote(log_file) " 2>&1 </dev/null; echo $? >" quote(log_file ".status"))
    getline status <(log_file ".status"); close(log_file ".status")
    printed_count = 0
    while ((getline line <log_file) > 0) printed[++printed_count] = line
    close(log_file)
    commands++
    right = index(" " wanted " ", " " status " ")
    same = varies && expected_count ? 1 : matches(1, 1)
    if (!right || (!same && !varies && !update)) {
        bad++
        report(document ":" command_line ": $ " command)
        if (!right) report("    exit status " status ", expected " wanted)
        for (i = 1; i <= expected_count && !same; i++) report("  - " expected[i])
        for (i = 1; i <= printed_count; i++) report("  + " printed[i])
    }
    if (same) for (i = 1; i <= expected_count; i++) say(expected[i])
    else for (i = 1; i <= printed_count; i++) say(printed[i])
    command = ""
}

function report(text) { print text >"/dev/stderr" }

# The end of a block that is a file or a change of one.
function finish(    status)
{
    close(target)
    if (kind != "diff") return
    status = system("patch -s -p0 <" quote(target) " >&2")
    if (status != 0) { report(document ":" FNR ": the change does not apply"); bad++ }
}

BEGIN { log_file = log_file ? log_file : "log" }

FNR == 1 { document = FILENAME }

/^ *```/ && kind == "" {
    kind = "other"; target = ""
    if ($1 == "```console") { kind = "console"; varies = $2 == "varies" }
    if ($1 == "```diff") { kind = "diff"; target = log_file ".diff" }
    if (match($0, / file=[^ ]+/)) { kind = "file"; target = substr($0, RSTART + 6, RLENGTH - 6) }
    if (target != "") printf "" >target
    say($0)
    next
}

/^ *```$/ {
    if (kind == "console") run()
    if (target != "") finish()
    kind = target = ""
    say($0)
    next
}

kind == "console" {
    if (/^\$ /) {
        run()
        command = substr($0, 3); command_line = FNR; expected_count = 0
        say($0)
    } else if (/^> / && command != "" && expected_count == 0) {
        command = command "\n" substr($0, 3)
        say($0)
    } else
        expected[++expected_count] = $0
    next
}

target != "" { print >target }

{ say($0) }

END {
    if (kind != "") { report(document ": a block does not end"); bad++ }
    if (!update) print commands + 0 " commands" (left_out ? ", " left_out " left out: no " absent : "")
    exit bad > 0
}
