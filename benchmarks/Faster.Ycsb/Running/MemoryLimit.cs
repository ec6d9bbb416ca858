using Faster.Workload.Cells;

namespace Faster.Ycsb.Running;

/// <summary>
/// The most memory that a process may take for an engine, its page cache included: the program, its key streams and the
/// values expected come before, and do not count.
/// </summary>
/// <param name="Bytes">So many bytes.</param>
/// <param name="IsBesideStore">Whether they come on top of the memory that the store is given.</param>
internal readonly record struct MemoryLimit(long Bytes, bool IsBesideStore)
{
    /// <summary>The limit of a process that runs a load.</summary>
    public long Of(LoadSettings settings) => Bytes + (IsBesideStore ? settings.MemoryBytes ?? 0 : 0);
}
