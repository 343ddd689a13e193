/// The files of the providers that acct comes with, as they are in `Shipped`; each is parsed only when it is
/// asked for.
package enum ShippedProviders {
  /// The names of those with a sign-in or an app password, in the order of the alphabet.
  package static let names = [
    "atlassian", "auth0", "bitbucket", "codeberg", "discord", "gitea", "github", "github-host", "gitlab", "google",
    "keycloak", "mastodon", "microsoft", "nextcloud", "okta", "slack", "spotify",
  ]

  /// The names of those whose accounts have a key, in the same order.
  package static let keys = [
    "airtable", "anthropic", "brave", "cloudflare", "cohere", "crates", "datadog", "deepgram", "deepl", "deepseek",
    "digitalocean", "discord-bot", "elevenlabs", "figma", "fly", "gemini", "github-token", "gitlab-token", "grafana",
    "groq", "heroku", "hetzner", "huggingface", "linear", "linode", "mailgun", "mapbox", "mistral", "netlify", "notion",
    "npm",
    "openai", "openrouter", "openweather", "pagerduty", "perplexity", "pinecone", "postmark", "pypi", "replicate",
    "resend",
    "sendgrid", "sentry", "slack-token", "stripe", "supabase", "tavily", "together", "vercel", "vultr",
  ]

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
    case "airtable": PackageResources.airtable_json
    case "anthropic": PackageResources.anthropic_json
    case "brave": PackageResources.brave_json
    case "cloudflare": PackageResources.cloudflare_json
    case "cohere": PackageResources.cohere_json
    case "crates": PackageResources.crates_json
    case "datadog": PackageResources.datadog_json
    case "deepgram": PackageResources.deepgram_json
    case "deepl": PackageResources.deepl_json
    case "deepseek": PackageResources.deepseek_json
    case "digitalocean": PackageResources.digitalocean_json
    case "discord-bot": PackageResources.discord_bot_json
    case "elevenlabs": PackageResources.elevenlabs_json
    case "figma": PackageResources.figma_json
    case "fly": PackageResources.fly_json
    case "gemini": PackageResources.gemini_json
    case "github-token": PackageResources.github_token_json
    case "gitlab-token": PackageResources.gitlab_token_json
    case "grafana": PackageResources.grafana_json
    case "groq": PackageResources.groq_json
    case "heroku": PackageResources.heroku_json
    case "hetzner": PackageResources.hetzner_json
    case "huggingface": PackageResources.huggingface_json
    case "linear": PackageResources.linear_json
    case "linode": PackageResources.linode_json
    case "mailgun": PackageResources.mailgun_json
    case "mapbox": PackageResources.mapbox_json
    case "mistral": PackageResources.mistral_json
    case "netlify": PackageResources.netlify_json
    case "notion": PackageResources.notion_json
    case "npm": PackageResources.npm_json
    case "openai": PackageResources.openai_json
    case "openrouter": PackageResources.openrouter_json
    case "openweather": PackageResources.openweather_json
    case "pagerduty": PackageResources.pagerduty_json
    case "perplexity": PackageResources.perplexity_json
    case "pinecone": PackageResources.pinecone_json
    case "postmark": PackageResources.postmark_json
    case "pypi": PackageResources.pypi_json
    case "replicate": PackageResources.replicate_json
    case "resend": PackageResources.resend_json
    case "sendgrid": PackageResources.sendgrid_json
    case "sentry": PackageResources.sentry_json
    case "slack-token": PackageResources.slack_token_json
    case "stripe": PackageResources.stripe_json
    case "supabase": PackageResources.supabase_json
    case "tavily": PackageResources.tavily_json
    case "together": PackageResources.together_json
    case "vercel": PackageResources.vercel_json
    case "vultr": PackageResources.vultr_json
    default: nil
    }
  }
}
