using System.Diagnostics;
using System.Reflection;

namespace WebApi.Tests;

/// <summary>The sample in a process of its own, over a folder.</summary>
internal sealed class RunningApi : IDisposable
{
    private readonly Process _process;

    private RunningApi(Process process, Uri url)
    {
        _process = process;
        Http = new HttpClient { BaseAddress = url };
    }

    public HttpClient Http { get; }

    /// <summary>Starts the sample, and waits until it listens.</summary>
    public static async Task<RunningApi> StartAsync(string folder)
    {
        string program = typeof(RunningApi).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
            .Single(static data => data.Key == "WebApi").Value!;
        var start = new ProcessStartInfo("dotnet")
        {
            ArgumentList =
            {
                program, "--urls", "http://127.0.0.1:0", $"--Faster:Counters:Path={folder}/counters",
                $"--Faster:Visitors:Path={folder}/visitors", "--Faster:Limits:Path=",
            },
            RedirectStandardOutput = true,
        };
        Process process = Process.Start(start)!;
        const string Listens = "Now listening on: ";
        while (await process.StandardOutput.ReadLineAsync() is { } line)
        {
            int at = line.IndexOf(Listens, StringComparison.Ordinal);
            if (at < 0) continue;
            _ = process.StandardOutput.ReadToEndAsync(); // so that it never waits for a reader
            return new RunningApi(process, new Uri(line[(at + Listens.Length)..]));
        }

        throw new InvalidOperationException($"The sample has ended with {process.ExitCode} before it listened.");
    }

    /// <summary>Counts, and returns the count.</summary>
    public async Task<long> CountAsync(string name, string query = "")
    {
        using HttpResponseMessage response = await Http.PostAsync($"/api/counters/{name}{query}", null);
        response.EnsureSuccessStatusCode();
        return long.Parse(await response.Content.ReadAsStringAsync());
    }

    /// <summary>Sends a signal, and waits for the end.</summary>
    public async Task<int> SignalAsync(string signal)
    {
        using Process kill = Process.Start("kill", [signal, $"{_process.Id}"]);
        await kill.WaitForExitAsync();
        await _process.WaitForExitAsync();
        return _process.ExitCode;
    }

    public void Dispose()
    {
        Http.Dispose();
        _process.Kill();
        _process.Dispose();
    }
}
