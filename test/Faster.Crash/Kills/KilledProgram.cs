using System.Diagnostics;
using System.Globalization;
using Faster.Devices.Folders;
using Faster.Devices.Segments;
using Faster.Operations.Waiting;

namespace Faster.Crash.Kills;

/// <summary>The program whose processes are killed.</summary>
internal static class KilledProgram
{
    /// <summary>Its path.</summary>
    public static string Path { get; } = System.IO.Path.Combine(AppContext.BaseDirectory, "Faster.Crash.Child.dll");

    /// <summary>One life of the process: SIGKILL ends it after some lines of output and a random moment.</summary>
    /// <param name="folder">The folder of its store.</param>
    /// <param name="numbers">Seed, life, rounds.</param>
    /// <param name="feature">The one feature that runs beside it, or null.</param>
    /// <param name="random">Chooses when it is killed.</param>
    /// <param name="mostLines">After how many lines at most.</param>
    /// <returns>The lines that it wrote.</returns>
    public static async Task<List<string>> LiveAndDieAsync(
        string folder, int[] numbers, string? feature, Random random, int mostLines)
    {
        string[] arguments = ["exec", Path, folder, .. numbers.Select(n => n.ToString(CultureInfo.InvariantCulture))];
        if (feature is not null) arguments = [.. arguments, feature];
        using Process process = Process.Start(new ProcessStartInfo("dotnet", arguments)
        {
            RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true,
            Environment = { ["DOTNET_EnableDiagnostics"] = "0" }, // its pipes would outlive it
        })!;
        List<string> told = [];
        int lines = random.Next(mostLines);
        bool isKilled = false;
        while (await process.StandardOutput.ReadLineAsync() is { } line)
        {
            told.Add(line);
            if (isKilled || (lines-- > 0 && line != "done")) continue;

            // After some line, spins for a moment too short to sleep: the kill may hit any point of what follows.
            Thread.SpinWait(random.Next(1 << random.Next(22)));
            process.Kill();
            isKilled = true;
        }

        await process.WaitForExitAsync();
        Assert.True(isKilled, $"The process ended by itself: {await process.StandardError.ReadToEndAsync()}");
        return told;
    }

    /// <summary>
    /// Waits until the system has released the lock of a killed process, which it does when the process's writes have
    /// ended. On a busy machine that may take longer than an opening waits.
    /// </summary>
    public static void AwaitLock(string folder)
    {
        for (long start = Stopwatch.GetTimestamp();;)
        {
            try
            {
                FolderLock.Take(System.IO.Path.GetFullPath(folder), FileCalls.Real).Dispose();
                return;
            }
            catch (StoreOpenException) when (Stopwatch.GetElapsedTime(start) < TestBudget.StallTimeout)
            {
                // The opening has timed out; try again.
            }
        }
    }
}
