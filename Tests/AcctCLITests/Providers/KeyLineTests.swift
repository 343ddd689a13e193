import AcctPorts
import AcctProtocol
import AcctTestSupport
import Testing

/// The line of each provider with keys that acct comes with, as its documentation has it.
@Suite("The line of a provider's key")
struct KeyLineTests {
  private let record = RecordedWorld()

  /// A provider, a URL of its API, and the line; what is sent as a bearer token is below.
  private static let others = [
    ("anthropic", "https://api.anthropic.com/v1/messages", "X-Api-Key: KEY"),
    ("brave", "https://api.search.brave.com/res/v1/web/search?q=a", "X-Subscription-Token: KEY"),
    ("crates", "https://crates.io/api/v1/me", "Authorization: KEY"),
    ("deepgram", "https://api.deepgram.com/v1/projects", "Authorization: Token KEY"),
    ("deepgram", "https://agent.deepgram.com/v1", "Authorization: Token KEY"),
    ("deepl", "https://api-free.deepl.com/v2/translate", "Authorization: DeepL-Auth-Key KEY"),
    ("deepl", "https://api.deepl.com/v2/usage", "Authorization: DeepL-Auth-Key KEY"),
    ("discord-bot", "https://discord.com/api/users/@me", "Authorization: Bot KEY"),
    ("elevenlabs", "https://api.elevenlabs.io/v1/voices", "xi-api-key: KEY"),
    ("figma", "https://api.figma.com/v1/me", "X-Figma-Token: KEY"),
    ("gemini", "https://generativelanguage.googleapis.com/v1beta/models", "x-goog-api-key: KEY"),
    ("linear", "https://api.linear.app/graphql", "Authorization: KEY"),
    // Basic, of api:KEY, __token__:KEY and KEY:
    ("mailgun", "https://api.mailgun.net/v3/domains", "Authorization: Basic YXBpOktFWQ=="),
    ("mailgun", "https://api.eu.mailgun.net/v3/domains", "Authorization: Basic YXBpOktFWQ=="),
    ("pypi", "https://upload.pypi.org/legacy/", "Authorization: Basic X190b2tlbl9fOktFWQ=="),
    ("stripe", "https://api.stripe.com/v1/charges", "Authorization: Basic S0VZOg=="),
    ("pagerduty", "https://api.pagerduty.com/users", "Authorization: Token token=KEY"),
    ("pinecone", "https://api.pinecone.io/indexes", "Api-Key: KEY"),
    ("postmark", "https://api.postmarkapp.com/server", "X-Postmark-Server-Token: KEY"),
  ]

  private static let bearers = [
    ("airtable", "https://api.airtable.com"), ("cloudflare", "https://api.cloudflare.com"),
    ("cohere", "https://api.cohere.com"),
    ("datadog:api.datadoghq.eu", "https://api.datadoghq.eu"), ("deepseek", "https://api.deepseek.com"),
    ("digitalocean", "https://api.digitalocean.com"), ("fly", "https://api.machines.dev"),
    ("github-token", "https://api.github.com"), ("gitlab-token", "https://gitlab.com"),
    ("gitlab-token:git.example", "https://git.example"), ("grafana:grafana.example", "https://grafana.example"),
    ("groq", "https://api.groq.com"), ("heroku", "https://api.heroku.com"), ("hetzner", "https://api.hetzner.cloud"),
    ("huggingface", "https://huggingface.co"), ("linode", "https://api.linode.com"),
    ("mistral", "https://api.mistral.ai"),
    ("netlify", "https://api.netlify.com"), ("notion", "https://api.notion.com"), ("npm", "https://registry.npmjs.org"),
    ("openai", "https://api.openai.com"), ("openrouter", "https://openrouter.ai"),
    ("perplexity", "https://api.perplexity.ai"),
    ("replicate", "https://api.replicate.com"), ("resend", "https://api.resend.com"),
    ("sendgrid", "https://api.sendgrid.com"),
    ("sentry", "https://sentry.io"), ("sentry:sentry.example", "https://sentry.example"),
    ("slack-token", "https://slack.com"),
    ("supabase", "https://api.supabase.com"), ("tavily", "https://api.tavily.com"),
    ("together", "https://api.together.xyz"),
    ("vercel", "https://api.vercel.com"), ("vultr", "https://api.vultr.com"),
  ]

  private static let lines = others + bearers.map { ($0, "\($1)/v1", "Authorization: Bearer KEY") }

  @Test("A key is sent as its provider's documentation says", arguments: lines)
  func line(provider: String, url: String, line: String) async {
    record.provide("-", "KEY\n")
    #expect(await record.acct("add", provider, "--token", "-") == 0, "\(record.err)")
    #expect(await record.acct("header", url) == 0, "\(record.err)")
    #expect(record.out == "\(line)\n")
  }

  /// A provider, a URL of its API, and the query of a request.
  private static let queries = [
    ("mapbox", "https://api.mapbox.com/geocoding/v5/mapbox.places/a.json", "access_token=KEY"),
    ("openweather", "https://api.openweathermap.org/data/3.0/onecall", "appid=KEY"),
  ]

  @Test("A key is sent in the query where its provider's documentation says so", arguments: queries)
  func query(provider: String, url: String, query: String) async {
    record.provide("-", "KEY\n")
    #expect(await record.acct("add", provider, "--token", "-") == 0, "\(record.err)")
    record.serve(200, "")
    #expect(await record.acct("request", url) == 0, "\(record.err)")
    #expect(record.requests.last?.sentQuery.map { text(of: $0) } == query)
  }

  @Test("Every provider that acct comes with has a line here")
  func whole() {
    let names = Set((Self.lines + Self.queries).map { String($0.0.prefix { $0 != ":" }) })
    #expect(names == Set(ShippedProviders.keys))
  }
}
