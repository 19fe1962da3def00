# Adds up test results in the output of cargo-nextest, cargo test and node's test runner; prints "PASSED FAILED SKIPPED".
# Reads whole logs; colours are ignored; lines it does not know count for nothing.

function number_before(text, word,    found) {
  if (match(text, "[0-9]+ " word)) {
    found = substr(text, RSTART, RLENGTH)
    return found + 0
  }
  return 0
}

{ gsub(/\033\[[0-9;]*m/, "") }

# Summary [   0.8s] 12 tests run: 10 passed (1 slow), 1 failed, 1 timed out, 3 skipped
/^ *Summary \[.*\] .*tests? run:/ {
  line = $0
  sub(/^.*run:/, "", line)
  passed += number_before(line, "passed")
  failed += number_before(line, "failed") + number_before(line, "timed out") + number_before(line, "exec failed")
  # A run that was cut short says "5/12 tests run": the rest never ran, which is no success.
  if (match($0, /[0-9]+\/[0-9]+ tests? run/)) {
    split(substr($0, RSTART, RLENGTH), parts, /[\/ ]/)
    failed += parts[2] - parts[1]
  }
  skipped += number_before(line, "skipped")
  next
}

# test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out
/^test result: / {
  passed += number_before($0, "passed")
  failed += number_before($0, "failed")
  skipped += number_before($0, "ignored")
  next
}

# # pass 3   or   ℹ pass 3
/^(#|ℹ) (pass|fail|cancelled|skipped|todo) [0-9]+$/ {
  if ($2 == "pass") passed += $3
  else if ($2 == "fail" || $2 == "cancelled") failed += $3
  else skipped += $3
}

END { print passed + 0, failed + 0, skipped + 0 }
