using System.Runtime.InteropServices;

namespace Faster.Commits;

/// <summary>The words of <see cref="CommitState{TProbe}"/>, on cache lines by who writes them.</summary>
/// <remarks>The state is read by every operation; it lies apart from what operations write.</remarks>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct CommitWords
{
    /// <summary>Phase and version.</summary>
    [FieldOffset(64)] public long State;

    /// <summary>No record of the next version lies below.</summary>
    [FieldOffset(72)] public long StartAddress;

    /// <summary>How many operations of even versions are pending.</summary>
    [FieldOffset(128)] public long PendingEven;

    /// <summary>How many operations of odd versions are pending.</summary>
    [FieldOffset(192)] public long PendingOdd;
}
