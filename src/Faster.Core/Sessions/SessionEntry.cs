using Faster.Epochs;
using Faster.Probes;

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

    /// <summary>
    /// Whether a commit, or a caller who waits for one, may still look here for the session that ended last.
    /// </summary>
    public bool IsAskedFor { get; set; }

    /// <summary>Makes an unnamed session's entry that of the next one, unless somebody may still look here.</summary>
    public bool TryRenew()
    {
        if (IsAskedFor || Holder is not null || !excluded.IsEmpty) return false;
        (Serial, Point, PointVersion, Committed) = (0, 0, 0, null);
        return true;
    }

    /// <summary>The number up to which the open session's operations belong to the commit of a version.</summary>
    /// <remarks>
    /// The session writes its point, then the point's version, then the next serial number: so they are read in reverse
    /// order.
    /// </remarks>
    public static unsafe long PointOf(EpochSlot* slot, long version)
    {
        Probe.Point(ProbePoint.CommitPhase);
        long serial = Volatile.Read(ref slot->Serial);
        Probe.Point(ProbePoint.CommitPhase);
        bool noted = Volatile.Read(ref slot->PointVersion) == version
            && !(Probe.On && Probe.Has(SeededBug.PointIgnoresNote));
        return noted ? Volatile.Read(ref slot->Point) : serial;
    }

    /// <summary>The commit point of a version at a serial number.</summary>
    public CommitPoint PointAt(long serial, long version) =>
        new(name, serial, version) { Excluded = excluded.From(version, serial) };

    /// <summary>The point of the session that ended last in the commit of a version.</summary>
    public CommitPoint EndOf(long version) => PointAt(PointVersion == version ? Point : Serial, version);

    /// <summary>Whether operations up to a serial number are not all in the newest commit.</summary>
    public bool IsAhead(long serial) => serial != (Committed?.SerialNumber ?? 0);

    /// <summary>Makes a session continue where an earlier one of the name ended, or where a commit left it.</summary>
    public unsafe void ContinueOn(EpochSlot* slot) =>
        (slot->Serial, slot->Point, slot->PointVersion) = (Serial, Point, PointVersion);
}
