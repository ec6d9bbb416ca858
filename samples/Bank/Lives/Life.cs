using System.Diagnostics;
using Bank.Commands;
using Bank.Transfers;
using Faster;

namespace Bank.Lives;

/// <summary>
/// What a process does until it is killed or its time is over: opens the store, opens the accounts that are not open
/// yet, transfers money, and says by lines of output what is done and what is durable.
/// </summary>
internal static class Life
{
    /// <summary>The session that opens the accounts: account n under the serial number n + 1.</summary>
    public const string OpeningSession = "opening";

    private const int BatchOfOpenings = 1024;

    private static readonly TimeSpan _sampling = TimeSpan.FromMilliseconds(20);

    /// <summary>Lives.</summary>
    public static async Task<int> RunAsync(BankOptions options, TextWriter output, CancellationToken cancellation)
    {
        await using Accounts.Store store = await Accounts.OpenAsync(
            options.DataFolder, options.StoreOptions, cancellation);
        store.Committed += commit => LifeLine.Committed(commit, options.Sessions).Write(output);
        await OpenAccountsAsync(store, options.Accounts, cancellation);
        Teller[] tellers = [.. Enumerable.Range(0, options.Sessions).Select(
            teller => new Teller(store.StartSession(Teller.NameOf(teller)), teller, options.Plan))];
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        Task[] work = [.. tellers.Select(teller => Task.Factory.StartNew(
            () => teller.Work(stop.Token), CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default))];
        try
        {
            await SayAsync(tellers, work, options.Duration, output, cancellation);
        }
        finally
        {
            await stop.CancelAsync();
            await Task.WhenAll(work);
        }

        LifeLine.At(tellers).Write(output);
        foreach (Teller teller in tellers) teller.Dispose();
        return ExitCode.Ok;
    }

    // Transfers begin when all accounts are durable: so a point of a teller means that every account is there.
    private static async Task OpenAccountsAsync(Accounts.Store store, int accounts, CancellationToken cancellation)
    {
        await using Accounts.Session session = store.StartSession(OpeningSession);
        var balances = new long[BatchOfOpenings];
        Array.Fill(balances, Accounts.OpeningBalance);
        bool isDone = session.SerialNumber == accounts;
        while (session.SerialNumber < accounts)
        {
            cancellation.ThrowIfCancellationRequested();
            int first = (int)session.SerialNumber, count = Math.Min(accounts - first, BatchOfOpenings);
            long[] numbers = [.. Enumerable.Range(first, count).Select(static number => (long)number)];
            session.Upsert(numbers, balances.AsSpan(0, count));
        }

        if (!isDone) await session.CommitAsync(cancellation);
    }

    private static async Task SayAsync(
        Teller[] tellers, Task[] work, TimeSpan duration, TextWriter output, CancellationToken cancellation)
    {
        var clock = Stopwatch.StartNew();
        using PeriodicTimer timer = new(_sampling);
        do LifeLine.At(tellers).Write(output);
        while (clock.Elapsed < duration && !Array.Exists(work, static one => one.IsCompleted)
            && await timer.WaitForNextTickAsync(cancellation));
    }
}
