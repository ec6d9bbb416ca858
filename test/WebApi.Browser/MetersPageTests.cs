using System.Diagnostics;

namespace WebApi.Tests;

/// <summary>The sample's page in a browser.</summary>
[Trait("Needs", "Browser")]
public sealed class MetersPageTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("webapi-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [BrowserFact]
    public async Task The_page_shows_the_meters_and_reads_them_again()
    {
        using RunningApi api = await RunningApi.StartAsync(_folder);
        await api.CountAsync("a", "?durable=true");
        var start = new ProcessStartInfo(BrowserFactAttribute.Browser)
        {
            ArgumentList =
            {
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                $"--user-data-dir={_folder}/browser", "--virtual-time-budget=4000", "--dump-dom",
                $"{api.Http.BaseAddress}",
            },
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using Process browser = Process.Start(start)!;
        Task<string> errors = browser.StandardError.ReadToEndAsync();
        string page = await browser.StandardOutput.ReadToEndAsync();
        await browser.WaitForExitAsync();
        Assert.True(browser.ExitCode == 0, await errors);
        Assert.Contains("Counters faster.commit.duration ", page, StringComparison.Ordinal);
        Assert.Contains("Limits faster.memory.size ", page, StringComparison.Ordinal);
        Assert.Matches("<p id=\"reads\">([2-9]|\\d\\d)</p>", page);
    }
}
