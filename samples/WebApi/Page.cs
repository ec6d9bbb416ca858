namespace WebApi;

/// <summary>The page that shows the meters, read again each second.</summary>
internal static class Page
{
    public const string Html = """
        <!doctype html><meta charset="utf-8"><title>Faster: meters</title>
        <h1>Meters</h1><table id="meters"></table><p id="reads">0</p>
        <script>
          let reads = 0;
          async function show() {
            const meters = await (await fetch('/meters')).json();
            const table = document.getElementById('meters');
            table.replaceChildren();
            for (const [name, value] of Object.entries(meters)) {
              const row = table.insertRow();
              row.insertCell().textContent = name;
              row.insertCell().textContent = value;
            }
            document.getElementById('reads').textContent = ++reads;
            setTimeout(show, 1000);
          }
          show();
        </script>
        """;
}
