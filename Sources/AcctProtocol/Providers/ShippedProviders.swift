import StrictJSON

/// The files of the providers that acct comes with, as they are in `Shipped` and `keys.json`; each is parsed only when it
/// is asked for.
package enum ShippedProviders {
  /// The names of those with a sign-in or an app password, in the order of the alphabet.
  package static let names = [
    "atlassian", "auth0", "bitbucket", "codeberg", "discord", "gitea", "github", "github-host", "gitlab", "google",
    "keycloak", "mastodon", "microsoft", "nextcloud", "okta", "slack", "spotify",
  ]

  /// The names of those whose accounts have a key, in the same order.
  package static var keys: [String] { keyFiles.names.sorted() }

  /// The files of those, by name: one resource, since each of its own would be relocated at every start.
  private static let keyFiles: JSONObject = {
    // A test parses it.
    (try? JSON(parsing: PackageResources.keys_json))?.objectValue ?? JSONObject()
  }()

  /// The file of a provider, or `nil` if there is none of that name.
  package static func file(_ name: String) -> [UInt8]? {
    switch name {
    case "atlassian": PackageResources.atlassian_json
    case "auth0": PackageResources.auth0_json
    case "bitbucket": PackageResources.bitbucket_json
    case "codeberg": PackageResources.codeberg_json
    case "discord": PackageResources.discord_json
    case "gitea": PackageResources.gitea_json
    case "github": PackageResources.github_json
    case "github-host": PackageResources.github_host_json
    case "gitlab": PackageResources.gitlab_json
    case "google": PackageResources.google_json
    case "keycloak": PackageResources.keycloak_json
    case "mastodon": PackageResources.mastodon_json
    case "microsoft": PackageResources.microsoft_json
    case "nextcloud": PackageResources.nextcloud_json
    case "okta": PackageResources.okta_json
    case "slack": PackageResources.slack_json
    case "spotify": PackageResources.spotify_json
    default: keyFiles[name]?.serialized()
    }
  }
}
