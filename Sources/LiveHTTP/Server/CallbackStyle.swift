/// The style of the pages for the browser: one sheet, which their Content-Security-Policy allows by its hash.
enum CallbackStyle {
  /// The text between `<style>` and `</style>`, to the byte.
  static let sheet = """
    :root {
      color-scheme: light dark;
      --back: #f4f5f7; --card: #fff; --line: #e3e5e9; --text: #16181d; --quiet: #5b616e;
      --good: #1a7f45; --bad: #c4302b; --odd: #9a6200;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --back: #111317; --card: #1a1d23; --line: #2c3038; --text: #eceef2; --quiet: #a3a9b6;
        --good: #4cc38a; --bad: #ff7b72; --odd: #e3b341;
      }
    }
    * { box-sizing: border-box; margin: 0; }
    body {
      min-height: 100vh; min-height: 100svh; display: grid; place-items: center; padding: 1.5rem;
      background: var(--back); color: var(--text);
      font: 1rem/1.5 system-ui, sans-serif; text-align: center; text-wrap: balance;
    }
    main {
      width: 100%; max-width: 25rem; padding: 2.75rem 2rem 1.5rem;
      background: var(--card); border: 1px solid var(--line); border-radius: 1rem;
      box-shadow: 0 1px 2px rgb(0 0 0 / .05), 0 12px 32px rgb(0 0 0 / .07);
    }
    svg {
      display: block; width: 4rem; height: 4rem; margin: 0 auto 1.25rem; fill: none;
      stroke: currentColor; stroke-width: 4; stroke-linecap: round; stroke-linejoin: round;
    }
    circle { fill: currentColor; fill-opacity: .12; stroke: none; }
    .good svg { color: var(--good); }
    .bad svg { color: var(--bad); }
    .odd svg { color: var(--odd); }
    h1 { margin-bottom: .5rem; font-size: 1.375rem; font-weight: 650; line-height: 1.3; }
    p { color: var(--quiet); }
    footer {
      margin-top: 2.25rem; padding-top: 1.25rem; border-top: 1px solid var(--line);
      color: var(--quiet); font: .8125rem/1.2 ui-monospace, monospace;
    }
    """

  /// The SHA-256 of ``sheet`` in Base64, as the policy names it (Content Security Policy 3, section 6.7.3.3).
  ///
  /// Written down, because this room contains no hash function; a test computes it.
  static let hash = "SRGfqSKy1qcD2kxxJu8MjaaURqyiUc1NDZn8at8UsyU="

  /// The text between `<script>` and `</script>` of the page that has no answer: it calls the page's own address with the
  /// fragment as the query, in the place of the address with the fragment.
  static let script =
    #"if(location.hash.length>1)location.replace(location.pathname+"?"+location.hash.slice(1))"#

  /// The SHA-256 of ``script``, as that of ``sheet``.
  static let scriptHash = "CFolnihRLb7tFItbj91TkEGmsPjm8Ykjh5f5+ooBkK4="
}
