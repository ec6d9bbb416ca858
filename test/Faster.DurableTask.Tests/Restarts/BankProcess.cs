using System.Diagnostics;
using System.Globalization;
using Faster.DurableTask.Tests.Entities;
using Faster.DurableTask.Tests.Hubs;

namespace Faster.DurableTask.Tests.Restarts;

/// <summary>A process that runs transfers over three partitions, and tells of each that it was told of.</summary>
internal static class BankProcess
{
    /// <summary>The process itself.</summary>
    public static async Task<int> RunAsync(string folder, string transfers)
    {
        await using EntityHub hub = await EntityHub.OpenAsync(folder, TestHub.Options(3));
        int count = int.Parse(transfers, CultureInfo.InvariantCulture);
        await Bank.RunAsync(hub.Service, count, 8, static line =>
        {
            lock (Console.Out) Console.WriteLine(line);
        });
        long[] balances = await Bank.BalancesAsync(hub.Service);
        bool isExact = Bank.Expected(count).SequenceEqual(balances);
        Console.WriteLine(isExact ? "exact" : "wrong");
        return isExact ? 0 : 1;
    }

    /// <summary>Starts the process.</summary>
    public static Process Start(string folder, int transfers)
    {
        ProcessStartInfo start = new(
            "dotnet", ["exec", typeof(BankProcess).Assembly.Location, "bank", folder, $"{transfers}"])
        {
            RedirectStandardOutput = true,
        };
        return Process.Start(start)!;
    }
}
