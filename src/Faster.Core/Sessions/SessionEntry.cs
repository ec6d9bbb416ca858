using Faster.Epochs;

namespace Faster.Sessions;

/// <summary>
/// The registry's entry of a session: of an unnamed one while it is open, of a named one until it is forgotten. A
/// session that continues under its name takes over the entry, so that commits under way find the new session by it.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>It has one holder at most.</item>
/// <item>While it has none, <see cref="Serial"/>, <see cref="Point"/> and <see cref="PointVersion"/> are those of the
/// session that ended last.</item>
/// </list>
/// <para>Guarded by the registry's lock, except for <see cref="ExcludedSerials"/>, which is thread-safe.</para>
/// </remarks>
internal sealed class SessionEntry(string? name, ExcludedSerials excluded)
{
    /// <summary>The session's name, or null.</summary>
    public string? Name => name;

    /// <summary>The open session; null after it has ended.</summary>
    public SessionCore? Holder { get; set; }

    /// <summary>The last serial number of the session that ended last.</summary>
    public long Serial { get; set; }

    /// <summary>The commit point that this session had recorded.</summary>
    public long Point { get; set; }

    /// <summary>The version for which it had recorded the point.</summary>
    public long PointVersion { get; set; }

    /// <summary>
    /// The point in the newest commit of this process, or in the recovered one; null if neither has one.
    /// </summary>
    public CommitPoint? Committed { get; set; }

    /// <summary>The serial numbers up to the point that commits exclude.</summary>
    public ExcludedSerials ExcludedSerials => excluded;

    /// <summary>Makes a session continue where an earlier one of the name ended, or where a commit left it.</summary>
    public unsafe void ContinueOn(EpochSlot* slot) =>
        (slot->Serial, slot->Point, slot->PointVersion) = (Serial, Point, PointVersion);
}
