package import StrictJSON

/// Keys that were made up for tests, in PEM.
package enum MadeUpKeys {
  package static let p256 = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgl/bSxJrQTOcJb+AI
    dI/sqknprZXzWURWugd9skWgE9KhRANCAASUmrStw0foQ4F0DXg4eB6T62tucflI
    WX9NvuEoxsEjsstWVuCy9hQEu6eqGMn49TQ0ZXSzzJ1qbqY5cRBde6u5
    -----END PRIVATE KEY-----
    """

  /// The public half of ``p256``.
  package static let p256Public: JSON = [
    "kty": "EC", "crv": "P-256", "x": "lJq0rcNH6EOBdA14OHgek-trbnH5SFl_Tb7hKMbBI7I",
    "y": "y1ZW4LL2FAS7p6oYyfj1NDRldLPMnWpupjlxEF17q7k",
  ]

  /// What of ``p256`` and ``rsa`` is private: each number alone, as a JWK has it.
  package static let privateNumbers = [
    "l_bSxJrQTOcJb-AIdI_sqknprZXzWURWugd9skWgE9I",
    "Rrvau4SYCXk1AOS-IpqFlXnmFNtZ68G6vmeIMSNFEiVbgT-xg8JnXK7mKMgdTaTJ56cHAje72y8rQKZbEHgoqlxbLZ0io0R2"
      + "g4VSRzSTkqmAVcOxbI-JDaL7GTDnPmkTTL3rBqcthhbfWXzah-x5T62yEXXprwIBUsgdr5ZhF9DB4Xr8abtWJUBSCGbaaqao"
      + "LNIUul1cruzv9kq3SRYnP0v8BnMQEB-efJMH-C0J8eauPFudU8ki8h0E-RQKn2lTaJpTRHTtcvpY5rhRKKLTrQFpDVkYUMPL"
      + "HDUdT9UoPT9h8RE0p-BeZK9KuQnYZedjUHWsbrTP92HO6XrXbopHEQ",
    "5WtBn78pZaioycbGehjL1M44qXIEXVgDynjP4tBh-zW19mNY93XGalMFO7fF5b_vlvdhouJClK0k5Fa1oTnKcBRe8k9ReNjB"
      + "kj9qwO4v8dm9Uz9XbffH49YnYw9Lqfw2vFJV6sQv4MWsrkUOPNzoRjlBR3LSthaKd9eMtDj6bk8",
    "vMRbSuLL7XtYmXtV_TBlY-G-MM3N6hzJ8Zi4yJ5unHVOx2qu9zA1AFR-4-h-QZM-iyVmO9Ozlj0x0FoIS5Kpbariz6M5RIvw"
      + "rlHVDbDCynsqQOZ7FlxCdJSZ48yM3hgb9ulx-z3Ady8oTe8a2u-QP_Xbr-xe3ljFDEy1MRDgIqk",
  ]

  /// Parts of lines of the PEM of ``p256`` and of ``rsa`` that no other key has, each private.
  package static let privateLines = [
    "l/bSxJrQTOcJb+AI", "GMvUzjipcgRdWAPKeM/i0GH7NbX2Y1j3dcZqUwU7t8Xlv++W92Gi4kKUrSTkVrWh",
  ]

  package static let rsa = """
    -----BEGIN PRIVATE KEY-----
    MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCpKrwfy0T0SZBO
    trPdlw2hSRjsGwF6IBEKh/NzV1c4oEmaLtRW6ugkJ/kfC9GHyZZ1LTZasxGn26nd
    WyXL2HANpiAPxbU/rSJQK//H3MAaR6TjuM5Zcx5OpEI3zzOD1Bu+gUXkpf22tL6e
    T+l5aMOMj3kEriCv45pwzyxrLCqLplvjq5UhsvUvEhzV2F6/wx1Pb3HbK8uHBGAN
    L9Kog+9M9KXpc2E9VsJstnkPMZeUDqR7IkxJj5SFKf7gYIoFJiODR0lxP/l9ZQ7L
    KaDCp0E/qV7eKTBx3HmLPUdQ5+/wS+3NkJdK02BdXdJmtM6qt0ueClse0een0Yqe
    TK9VGVAnAgMBAAECggEARrvau4SYCXk1AOS+IpqFlXnmFNtZ68G6vmeIMSNFEiVb
    gT+xg8JnXK7mKMgdTaTJ56cHAje72y8rQKZbEHgoqlxbLZ0io0R2g4VSRzSTkqmA
    VcOxbI+JDaL7GTDnPmkTTL3rBqcthhbfWXzah+x5T62yEXXprwIBUsgdr5ZhF9DB
    4Xr8abtWJUBSCGbaaqaoLNIUul1cruzv9kq3SRYnP0v8BnMQEB+efJMH+C0J8eau
    PFudU8ki8h0E+RQKn2lTaJpTRHTtcvpY5rhRKKLTrQFpDVkYUMPLHDUdT9UoPT9h
    8RE0p+BeZK9KuQnYZedjUHWsbrTP92HO6XrXbopHEQKBgQDla0GfvyllqKjJxsZ6
    GMvUzjipcgRdWAPKeM/i0GH7NbX2Y1j3dcZqUwU7t8Xlv++W92Gi4kKUrSTkVrWh
    OcpwFF7yT1F42MGSP2rA7i/x2b1TP1dt98fj1idjD0up/Da8UlXqxC/gxayuRQ48
    3OhGOUFHctK2Fop314y0OPpuTwKBgQC8xFtK4svte1iZe1X9MGVj4b4wzc3qHMnx
    mLjInm6cdU7Haq73MDUAVH7j6H5Bkz6LJWY707OWPTHQWghLkqltquLPozlEi/Cu
    UdUNsMLKeypA5nsWXEJ0lJnjzIzeGBv26XH7PcB3LyhN7xra75A/9duv7F7eWMUM
    TLUxEOAiqQKBgFp1hSWo6XjFHPCaqQ3hkxVwztS5OVFY7/24zzd+tPOphPsGx0Cj
    tr2byJd4adaibKUZG+1uy5P2BXLnYayVreWtkpZ2gghlZ0X0LXKvOEZjdYxKkH2y
    0qVafqNHl60J3sc4q9nqy3oUV3dLkUacUBXIY535f23+y1BftIInaU9vAoGAaPJy
    HwxAfGPbOlmL0RwbApD7AH8rQEGJNLzH3yHWNT4y8kOpytwOW4Sel28m4qZOW2YL
    lK96ZMjY7RFhE0MS11nuh6ojqKx0vzXX0ai4Y4JeV37MZ/4bJF2JwVBz8PZOddQL
    /rayTpD1Q37v21DdTfIOlZxAkjWgN9pd0k2jjyECgYAbQmgywJGftIaKW2zqIrb6
    06wPJka44oVwBVsZDN3c5c95mkvJ2jBcQ1WVQwstvfNZic7HXCnqyezMwNSGaVQj
    ZjS2iltKbEosiQgEKnvI60Y5xcaK+7O/UCtQYBc8ylRbk2SJq4Cfqn57jCkbfHaZ
    4sy1/btaobSUe1j7lklE7A==
    -----END PRIVATE KEY-----
    """

  /// Too short to be safe.
  package static let shortRSA = """
    -----BEGIN PRIVATE KEY-----
    MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBANmoxU5uKaHYJBS0
    0uusbCd2kK7AMyiFspQ1/d69UdIP7adoW3x9Ma8P47pnFLrKfLwdCf6iN8o7yNM1
    TtCbs69chSOPxbZAKJgbQuB1ULoXqJd6LlQUjbrWew4aHxYp6HXsSazp9+kyZAM7
    p3i07MAft8dUtebdeoXzPCsfiJ+RAgMBAAECgYEAjcRtbt4146JiLdJxJuuRLkr9
    hbTOHXCnlf1ss21gI5AYXNeN7xGkEMAqtbh6Oge1ItlPLzj9WY2DCn5ILXuclkGP
    VH7bSJ8VNVMItKBP3hKbAUhMrHRQgSjmJy6pyl/Dkq87sGnJe1De4tZk75sxZNqI
    ES1WbvhR1Jx2aWC5ypkCQQD54YAXCZTwrlOrJP7v+2rjpTv8HJePEaPRb/UN/xxQ
    /IU//SltirWFn2tkcSgnpUbO1REAmAbjsC5GHGQcM2szAkEA3v1GC3pLiocik2qi
    3ftreLYmKCP2sGtliinEeAKbZ6IfdYFmV6bgidarsiyff9PJOWUMAmNYd/fqj1j0
    2XPqKwJAGmtGEKl5rsyvmeuqbJMHZRQmOGyJdZ3m1RDiNt2fD8zzBaXtiGBe+sa1
    IwR3u2FVEC8kwgxQxiftbIo552VkUwJAUo7jCAzXOwqdOocYlacoOyD1L5dhFiAt
    D+I241fTwaK8kvy9r2YRa/cWynjK9MCsl5tZvuiZMJGRPlFpFblc0QJBAJOA0wm8
    DyTWDBLmJZFXuGx1ttyM35bLY1dofI3uZLExUUC5M28V4drf86zZ+wgw6qA4WJji
    Y1SSyen3AN6bbvg=
    -----END PRIVATE KEY-----
    """

  package static let ed25519 = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIMh8IWeqMHqYufgjEu3s15ntY4sK29GOGvgqmgHYX9Td
    -----END PRIVATE KEY-----
    """

  /// Under a passphrase.
  package static let locked = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhqn0hZkKXWDAICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEELFqvTUbeTYr/FjrFX/NKMcEgZBB
    MXJHc1culfbfT8depJdXqFlg3Y+md591ARbe8BA/FLSoihhrUs+yMouD8ShvFddP
    8GH+5G59pTjFBE7YcPR2MGvr67HMPrIb+eYJmAtuSvrHNEI7ByvDkWSdOeoFqLDi
    sAcFrE689zQVX5pT23glj8L8jFKHuIAaWm/PALe/DNh71s4NGmmIMhc05eS8eoA=
    -----END ENCRYPTED PRIVATE KEY-----
    """

  /// What a server gives for a service account.
  package static func serviceAccount(_ members: JSONObject = [:]) -> String {
    var file: JSONObject = [
      "type": "service_account", "client_email": "robot@project.example",
      "private_key": .string(rsa + "\n"), "private_key_id": "key-1",
      "token_uri": "https://as.example/token",
    ]
    for (name, value) in members { file[name] = value == .null ? nil : value }
    return String(decoding: JSON.object(file).serialized(), as: UTF8.self)
  }
}
