-- What wrk measured, on one line for throughput.sh: requests a second, the average and the 99th percentile of the
-- latency in microseconds, the number of requests, and how many of them failed.
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("measured %.1f %.1f %.1f %d %d\n",
    summary.requests / summary.duration * 1e6, latency.mean, latency:percentile(99), summary.requests,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
