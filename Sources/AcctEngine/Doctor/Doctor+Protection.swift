import AcctModel
import AcctPorts

extension Doctor {
  /// Whether the TPM of a sealed vault still opens it; it is asked only here.
  func seal(of keyring: Keyring) async -> [Finding] {
    guard keyring.kind == .vault else { return [] }
    let check: VaultSealCheck?
    // That the vault can't be read is told by its own check.
    do throws(KeyringFailure) { check = try await context.world.vault.checkSeal() } catch { return [] }
    guard let check else { return [] }
    guard let failure = check.failure else { return [Finding(.sealOpens(check.address))] }
    return [Finding(.sealFails(failure, check.address))]
  }

  /// What this kernel has to protect a proxy with.
  func protection() -> [Finding] {
    guard let measures = context.world.confinement.available() else { return [] }
    return [Finding(.proxyMemory(isSecret: measures.secretMemory)), Finding(.proxyFence(version: measures.fence))]
  }
}
