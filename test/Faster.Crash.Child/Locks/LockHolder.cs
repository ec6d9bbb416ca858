using System.Globalization;
using Faster.Contracts;
using Faster.Crash.Engine;
using Faster.Crash.Workloads;

namespace Faster.Crash.Locks;

/// <summary>
/// A process that opens a store, writes keys of its own and commits, waits for a line of input, and does so once more.
/// </summary>
public static class LockHolder
{
    /// <summary>The first argument that makes the child do this.</summary>
    public const string Name = "lock";

    /// <summary>What it prints when a commit is durable, and when the store is refused, before the message.</summary>
    public const string Committed = "committed", Refused = "refused ";

    /// <summary>The keys that it writes for each commit.</summary>
    public const int Keys = 500;

    /// <summary>Opens and works.</summary>
    /// <param name="args">
    /// The name; the folder; the folder of the cold tier, or - for a store of one tier; the first key; and the error
    /// with which the system refuses flock, if it does.
    /// </param>
    /// <param name="tell">Prints a line.</param>
    public static async Task<int> MainAsync(string[] args, Action<string> tell)
    {
        int first = int.Parse(args[3], CultureInfo.InvariantCulture);
        if (args.Length > 4) RefusedCall.Flock(int.Parse(args[4], CultureInfo.InvariantCulture));
        try
        {
            await using IWorkStore store = await OpenAsync(args[1], args[2] == "-" ? null : args[2]);
            await CommitAsync(store, first);
            tell(Committed);
            await Console.In.ReadLineAsync();
            await CommitAsync(store, first + Keys);
            tell(Committed);
            return 0;
        }
        catch (StoreOpenException e)
        {
            tell(Refused + e.Message);
            return 1;
        }
    }

    /// <summary>Opens the store.</summary>
    /// <param name="folder">Its folder.</param>
    /// <param name="coldFolder">The folder of the cold tier; null for a store of one tier.</param>
    public static async Task<IWorkStore> OpenAsync(string folder, string? coldFolder) => coldFolder is null
        ? await FasterWorkStore.OpenAsync(folder, new StoreOptions { MemoryBudget = ByteSize.MiB(2) }, bytes: false)
        : await TieredWorkStore.OpenAsync(folder, TieredWorkStore.Small with { ColdFolder = coldFolder }, bytes: false);

    private static async Task CommitAsync(IWorkStore store, int first)
    {
        using IWorkSession session = store.Start(null);
        for (int key = first; key < first + Keys; key++)
            session.Do(new Step(0, key - first + 1, StepKind.Put, key, BitConverter.GetBytes((long)key)));
        session.CompletePending();
        await store.CommitAsync(CommitKind.FoldOver, withIndex: false);
    }
}
