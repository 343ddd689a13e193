import AcctModel

func urlViolation(_ bytes: [UInt8]) -> String? {
  guard let url = try? HTTPURL(text(bytes)) else { return nil }
  let written = url.description
  guard written.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
    return "a URL with characters that no request line can have"
  }
  guard (try? HTTPURL(written)) == url else { return "a URL that reads otherwise when written" }
  guard url.origin.scheme == .https || url.origin.isLoopback else { return "plain http beyond loopback" }
  guard !written.contains("@") || written.dropFirst(url.origin.description.count).contains("@")
  else { return "user information" }
  return nil
}

func originViolation(_ bytes: [UInt8]) -> String? {
  guard let origin = try? Origin(text(bytes)) else { return nil }
  guard (try? Origin(origin.description)) == origin else { return "an origin that reads otherwise when written" }
  return origin.scheme == .https || origin.isLoopback ? nil : "plain http beyond loopback"
}

func handleViolation(_ bytes: [UInt8]) -> String? {
  guard let handle = try? Handle(text(bytes)) else { return nil }
  let written = handle.description
  guard written.utf8.count <= 253, written.contains("."), written == written.lowercased() else {
    return "a handle that is no domain name"
  }
  return (try? Handle(written)) == handle ? nil : "a handle that reads otherwise when written"
}

func didViolation(_ bytes: [UInt8]) -> String? {
  guard let did = try? DID(text(bytes)) else { return nil }
  guard did.description == text(bytes) else { return "a DID that was changed in reading" }
  return did.description.utf8.count <= 2048 ? nil : "a DID without bounds"
}

func timeViolation(_ bytes: [UInt8]) -> String? {
  if let date = HTTPDate.parse(text(bytes)), (try? Timestamp(date.description)) != date {
    return "an HTTP date that can't be written as RFC 3339"
  }
  guard let time = try? Timestamp(text(bytes)) else { return nil }
  return (try? Timestamp(time.description)) == time
    ? nil : "a time that reads otherwise when written"
}
