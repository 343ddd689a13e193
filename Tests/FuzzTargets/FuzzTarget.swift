/// A parser of data from outside, and the properties of its result for any bytes.
///
/// Not to crash, hang or eat memory is what the fuzzer itself watches. Beyond that a target states
/// properties, such as: what was read, written and read again is the same.
package enum FuzzTarget: String, CaseIterable, Sendable {
  case json, lenientJSON = "lenient-json", jwt, idToken = "id-token", jwk, handoff, tokenAnswer = "token-answer",
    metadata, device
  case exchangeAnswer = "exchange-answer", programLine = "program-line"
  case signInDescription = "sign-in-description"
  case resource, secondTokens = "second-tokens"
  case limits, guest, appCallback = "app-callback", session, proxy, bus, staticToken = "static-token"
  case challenge, callback, url, origin, handle, did, time
  case dns, didDocument = "did-document"
  case accountFile = "account-file", accountHistory = "account-history"
  case vaultHeader = "vault-header", vaultItem = "vault-item"
  case sharedObject = "shared-object", sharedRecord = "shared-record", sharedFiles = "shared-files"
  case keyringHeader = "keyring-header", joinRequest = "join-request"
  case clientKey = "client-key", certificate, redirect, parameter
  case export, exportContents = "export-contents"
  case provider, registration, clientBook = "client-book"
  case gitCredential = "git-credential", dockerCredential = "docker-credential"
  case kubectlCredential = "kubectl-credential", bazelCredential = "bazel-credential"
  case goAuth = "go-auth", cargoCredential = "cargo-credential", keyringRequest = "keyring-request"
  case terraformCredential = "terraform-credential"
  case stsAnswer = "sts-answer", roleKeys = "role-keys"
  case foreignFile = "foreign-file", settings, envFile = "env-file"
  case etcdReply = "etcd-reply"
  case pkcs11URI = "pkcs11-uri"
  case tpmReply = "tpm-reply", tpmKey = "tpm-key"
  case outputs

  /// Reads `bytes`, and returns the property that did not hold.
  ///
  /// - Parameter bytes: Anything.
  /// - Returns: What is wrong, in words; `nil` if nothing is.
  package func violation(of bytes: [UInt8]) -> String? {
    switch self {
    case .json: jsonViolation(bytes)
    case .lenientJSON: lenientJSONViolation(bytes)
    case .jwt: jwtViolation(bytes)
    case .idToken: idTokenViolation(bytes)
    case .jwk: jwkViolation(bytes)
    case .handoff: handoffViolation(bytes)
    case .tokenAnswer: tokenAnswerViolation(bytes)
    case .exchangeAnswer: exchangeAnswerViolation(bytes)
    case .programLine: programLineViolation(bytes)
    case .signInDescription: signInDescriptionViolation(bytes)
    case .metadata: metadataViolation(bytes)
    case .device: deviceViolation(bytes)
    case .resource: resourceViolation(bytes)
    case .secondTokens: secondTokensViolation(bytes)
    case .appCallback: appCallbackViolation(bytes)
    case .session: sessionViolation(bytes)
    case .proxy: proxyViolation(bytes)
    case .bus: busViolation(bytes)
    case .staticToken: staticTokenViolation(bytes)
    case .challenge: challengeViolation(bytes)
    case .limits: limitsViolation(bytes)
    case .guest: guestViolation(bytes)
    case .callback: callbackViolation(bytes)
    case .url: urlViolation(bytes)
    case .origin: originViolation(bytes)
    case .handle: handleViolation(bytes)
    case .did: didViolation(bytes)
    case .time: timeViolation(bytes)
    case .dns: dnsViolation(bytes)
    case .didDocument: didDocumentViolation(bytes)
    case .accountFile: accountFileViolation(bytes)
    case .accountHistory: accountHistoryViolation(bytes)
    case .vaultHeader: vaultHeaderViolation(bytes)
    case .vaultItem: vaultItemViolation(bytes)
    case .sharedObject: sharedObjectViolation(bytes)
    case .sharedRecord: sharedRecordViolation(bytes)
    case .sharedFiles: sharedFilesViolation(bytes)
    case .keyringHeader: keyringHeaderViolation(bytes)
    case .joinRequest: joinRequestViolation(bytes)
    case .clientKey: clientKeyViolation(bytes)
    case .certificate: certificateViolation(bytes)
    case .redirect: redirectViolation(bytes)
    case .parameter: parameterViolation(bytes)
    case .export: exportViolation(bytes)
    case .exportContents: exportContentsViolation(bytes)
    case .provider: providerViolation(bytes)
    case .registration: registrationViolation(bytes)
    case .clientBook: clientBookViolation(bytes)
    case .gitCredential: gitCredentialViolation(bytes)
    case .dockerCredential: dockerCredentialViolation(bytes)
    case .kubectlCredential: kubectlCredentialViolation(bytes)
    case .bazelCredential: bazelCredentialViolation(bytes)
    case .goAuth: goAuthViolation(bytes)
    case .cargoCredential: cargoCredentialViolation(bytes)
    case .keyringRequest: keyringRequestViolation(bytes)
    case .terraformCredential: terraformCredentialViolation(bytes)
    case .stsAnswer: stsAnswerViolation(bytes)
    case .roleKeys: roleKeysViolation(bytes)
    case .foreignFile: foreignFileViolation(bytes)
    case .settings: settingsViolation(bytes)
    case .envFile: envFileViolation(bytes)
    case .etcdReply: etcdReplyViolation(bytes)
    case .pkcs11URI: pkcs11URIViolation(bytes)
    case .tpmReply: tpmReplyViolation(bytes)
    case .tpmKey: tpmKeyViolation(bytes)
    case .outputs: outputsViolation(bytes)
    }
  }
}

/// The bytes as text, for parsers that are handed text.
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
