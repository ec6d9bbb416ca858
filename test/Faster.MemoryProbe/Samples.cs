using Faster.Testing;

namespace Faster.MemoryProbe;

/// <summary>Prints what this process and a folder hold after some work: one line for each sample.</summary>
internal static class Samples
{
    /// <summary>Prints one, when all that could be collected is.</summary>
    /// <param name="kind">What samples it belongs to.</param>
    /// <param name="work">How much has been done so far, in whatever unit.</param>
    /// <param name="folder">The folder.</param>
    public static void Print(string kind, long work, string folder)
    {
        Resources.Settle();
        IReadOnlyList<(string Path, long Bytes)> files = FolderListing.AtOneMoment(folder);
        Console.WriteLine($"{kind} work={work} managed={GC.GetTotalMemory(forceFullCollection: true)} "
            + $"native={Resources.Native()} resident={Resources.Resident()} handles={Resources.Handles()} "
            + $"threads={Resources.Threads()} files={files.Count} disk={files.Sum(static file => file.Bytes)}");
    }
}
