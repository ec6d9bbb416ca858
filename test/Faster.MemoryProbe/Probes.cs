using Faster.Devices;
using Faster.Testing;

namespace Faster.MemoryProbe;

/// <summary>What the program can measure; each prints lines of name=value pairs, in bytes.</summary>
internal static class Probes
{
    private const int SamplesOfARepetition = 24;

    public static int Usage()
    {
        Console.Error.WriteLine(
            "budget fixed|variable|crowded MIB TIMES FOLDER | sessions N FOLDER | stores N FOLDER | full N FOLDER"
            + " | rings N FOLDER | ring ROUNDS FOLDER | hold FOLDER | soak ROUNDS LEAKING FOLDER"
            + " | bounds MIB MIB_OF_DISK TIMES FOLDER | bounds ENGINE LOAD MIB MIB_OF_DISK TIMES OVERRUN FOLDER"
            + " | blocked-pool faster|tiered FOLDER"
            + " | pending status|awaited|batched SESSIONS READS BYTES FOLDER");
        return 2;
    }

    /// <summary>How far the process grows over an open, empty store while many times its budget goes to disk.</summary>
    public static async Task<int> BudgetAsync(string kind, int megabytes, int times, string folder)
    {
        // The code is compiled and the runtime's own pools are filled by the same work on the smallest store.
        await using (IWork warmUp = await OpenAsync(kind, Path.Combine(folder, "warm-up"), 1))
        {
            while (warmUp.Statistics.BytesWritten < 4 << 20) warmUp.Step();
        }

        Resources.Settle();
        await using IWork work = await OpenAsync(kind, Path.Combine(folder, "store"), megabytes);
        long empty = Resources.Resident(), most = empty, target = ((long)megabytes << 20) * times, managed = 0;
        while (work.Statistics.BytesWritten < target)
        {
            for (int i = 0; i < 10; i++) work.Step();
            most = Math.Max(most, Resources.Resident());
            managed = Math.Max(managed, GC.GetTotalMemory(false));
        }

        Console.WriteLine($"growth={most - empty} budget={(long)megabytes << 20} empty={empty} managed={managed} "
            + $"written={work.Statistics.BytesWritten} reads={work.Statistics.DiskReads} "
            + $"index={work.Statistics.IndexBytes} overflow={work.Statistics.IndexOverflowBuckets} "
            + $"fault={work.Statistics.LastFault?.Message ?? "none"}");
        return 0;
    }

    /// <summary>What sessions leave behind that were opened, used and closed.</summary>
    public static async Task<int> SessionsAsync(int rounds, string folder)
    {
        await using Sums.Store store = await Sums.OpenAsync(folder, Options(2));
        using (Sums.Session session = store.StartSession())
        {
            for (long key = 0; key < 200_000; key++)
            {
                if (session.Upsert(key, key) == Status.Pending) session.CompletePending(wait: true);
            }
        }

        Repeat(rounds, round => UseSession(store, round), folder);
        Console.WriteLine($"sessions={store.Statistics.Sessions}");
        return store.Statistics.Sessions;
    }

    /// <summary>What stores leave behind that were opened, filled beyond their memory, and closed.</summary>
    public static Task<int> StoresAsync(int rounds, string folder)
    {
        Repeat(rounds, _ => UseStore(Path.Combine(folder, "store")), folder);
        return Task.FromResult(0);
    }

    /// <summary>What stores leave behind whose last commit fails, because their disk is full.</summary>
    public static Task<int> FullAsync(int rounds, string folder)
    {
        int failed = 0;
        Repeat(rounds, _ => failed += CloseOnAFullDisk(Path.Combine(folder, "store")) ? 1 : 0, folder);
        Console.WriteLine($"failed={failed}");
        return Task.FromResult(0);
    }

    /// <summary>What stores of the engine HotRing leave behind.</summary>
    public static int Rings(int rounds, string folder)
    {
        Repeat(rounds, round => RingProbe.UseAsync(round).GetAwaiter().GetResult(), folder);
        return 0;
    }

    /// <summary>Keeps a store open until its input ends.</summary>
    public static async Task<int> HoldAsync(string folder)
    {
        await using Sums.Store store = await Sums.OpenAsync(folder, Options(1));
        Console.WriteLine("open");
        await Console.In.ReadLineAsync();
        return 0;
    }

    private static StoreOptions Options(int megabytes) => new()
    {
        MemoryBudget = ByteSize.MiB(megabytes),
        ExpectedKeys = megabytes * 40_000L,
    };

    private static Task<IWork> OpenAsync(string kind, string folder, int megabytes) => kind switch
    {
        "fixed" => FixedWork.OpenAsync(folder, Options(megabytes), megabytes * 40_000L),
        "crowded" => FixedWork.OpenAsync(folder, Options(megabytes) with { ExpectedKeys = 0 }, megabytes * 400_000L),
        _ => VariableWork.OpenAsync(folder, Options(megabytes), megabytes * 20_000L),
    };

    // Samples from half of the rounds on: what one round leaves, and not what the first ones make, such as the heaps of
    // the C library's allocator for further threads, which appear after up to thirty stores on full disks.
    private static void Repeat(int rounds, Action<int> work, string folder)
    {
        Directory.CreateDirectory(folder); // which is sampled, too
        Samples.Print("first", 0, folder); // which opens the console: five handles and a thread
        for (int round = 1; round <= rounds; round++)
        {
            work(round);
            if (round >= rounds / 2 && round * SamplesOfARepetition / rounds
                != (round - 1) * SamplesOfARepetition / rounds) Samples.Print("sample", round, folder);
        }
    }

    private static void UseSession(Sums.Store store, int round)
    {
        string name = "s" + round;
        using (Sums.Session session = store.StartSession(name))
        {
            if (session.Rmw(round, 1) == Status.Pending) session.CompletePending(wait: true);
            _ = session.Read(round + 1, out long _); // may be pending when the session is closed
        }

        store.ForgetSession(name); // else what it has come to is kept, to be committed
    }

    private static void UseStore(string folder)
    {
        using (Sums.Store store = Open(folder, Options(1)))
        {
            Sums.Session session = Fill(store);
            _ = session.Read(1, out long _); // pending, and the session open, when the store is closed
        }

        Directory.Delete(folder, recursive: true);
    }

    private static bool CloseOnAFullDisk(string folder)
    {
        var device = new FaultDevice(new MemoryDevice());
        Sums.Store store = Open(folder, Options(1) with { Device = device });
        _ = Fill(store);
        device.Arm(new FaultPlan { Faults = [new Fault(FaultTarget.Write, 1, FaultFlavor.NoSpace, Persistent: true)] });
        try
        {
            store.Dispose();
            return false;
        }
        catch (StorageException)
        {
            return true;
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static Sums.Store Open(string folder, StoreOptions options) =>
        Sums.OpenAsync(folder, options).AsTask().GetAwaiter().GetResult();

    private static Sums.Session Fill(Sums.Store store)
    {
        Sums.Session session = store.StartSession();
        for (long key = 0; key < 60_000; key++)
        {
            if (session.Upsert(key, key) == Status.Pending) session.CompletePending(wait: true);
        }

        return session;
    }
}
