import AcctEngine
import Secrets
import AcctProtocol
import StrictJSON

func exportViolation(_ bytes: [UInt8]) -> String? {
  guard let json = try? JSON(parsing: bytes), let export = try? SealedExport(json) else { return nil }
  guard let again = try? JSON(parsing: export.serialized()) else { return "an export that can't be read when written" }
  return (try? SealedExport(again)) == export ? nil : "an export that reads otherwise when written"
}

func exportContentsViolation(_ bytes: [UInt8]) -> String? {
  guard let accounts = try? ExportContents(Secret(bytes)).accounts() else { return nil }
  guard let written = try? ExportContents(accounts) else { return "accounts that can't be written" }
  return (try? written.accounts()) == accounts
    ? nil : "accounts that read otherwise when written"
}
