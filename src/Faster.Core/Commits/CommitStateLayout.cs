using System.Runtime.InteropServices;

namespace Faster.Commits;

/// <summary>The words of <see cref="CommitState"/>, each on the cache line of those that write it.</summary>
/// <remarks>
/// Sessions read the state whenever they refresh; it lies apart from the counts, which operations write.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct CommitStateLayout
{
    /// <summary>Phase, version, and poisoned bit (<see cref="SystemState"/>).</summary>
    [FieldOffset(64)] public long State;

    /// <summary>The number of pending operations of even versions.</summary>
    [FieldOffset(128)] public long PendingEven;

    /// <summary>The number of pending operations of odd versions.</summary>
    [FieldOffset(192)] public long PendingOdd;
}
