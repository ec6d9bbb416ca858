namespace WebApi;

/// <summary>The page that shows the meters, read again each second.</summary>
internal static class Page
{
    public const string Html = """
        <!doctype html><title>Faster: meters</title>
        <h1>Meters</h1><pre id="meters"></pre><p id="reads">0</p>
        <script>
          async function show() {
            meters.textContent = await (await fetch('/meters')).text();
            reads.textContent++;
            setTimeout(show, 1000);
          }
          show();
        </script>
        """;
}
