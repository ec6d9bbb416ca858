using System.Runtime.CompilerServices;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Engines.Transactional.Capture;
using Faster.Log.InMemory;
using Faster.Log.Records;
using Faster.Probes;
using Faster.Tables;

namespace Faster.Engines.Transactional.Locks;

/// <summary>
/// Finds, locks, changes and releases the records of an attempt, one key at a time: strict two-phase locking that waits
/// for nothing (paper 004 §4, NO-WAIT).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A key that is locked keeps its record, or stays absent, until the lock is released: a record by its own word,
/// an absent key by the word of its hash (<see cref="AbsentKeyLocks"/>), which everyone who links a record of such a
/// hash holds exclusively.</item>
/// <item>A record is changed, replaced or taken out only by the holder of its exclusive lock.</item>
/// <item>Of several attempts that have locked the same key, either none may change it, or there is one.</item>
/// <item>While a commit of version v is under way: an attempt of v locks nothing that one of v + 1 has stamped; and
/// the attempt that stamps a record with v + 1 has captured its value.</item>
/// </list>
/// <para><b>Why absent stays absent.</b> The search that counts begins after the word of the hash was locked. If it
/// finds nothing, the key was absent at a moment in between; a record of it can be linked after that only by a holder
/// of the word's exclusive lock, which is not there while this one is.</para>
/// <para><b>Why found is the record.</b> A record leaves its chain while its word is exclusive, and the word is gone
/// afterwards. A lock that is taken on a word which is not gone has the record in its chain, and keeps it there.</para>
/// <para>Not thread-safe: it belongs to one session, under its epoch.</para>
/// </remarks>
/// <param name="table">The records.</param>
/// <param name="absent">The locks of absent keys.</param>
/// <param name="lists">The session's free memory.</param>
/// <param name="version">What the session knows of the commit under way.</param>
/// <param name="captures">What the session captures for it.</param>
internal sealed unsafe class KeyLocks(
    RecordTable table, AbsentKeyLocks absent, FreeLists lists, SessionVersion version, SessionCaptures captures)
{
    private readonly int _valueSize = table.Layout.ValueSize;

    /// <summary>The records.</summary>
    public RecordTable Table => table;

    /// <summary>The locks of absent keys.</summary>
    public AbsentKeyLocks Absent => absent;

    /// <summary>Locks the record that the chain of a located key has had, if all goes well at once.</summary>
    /// <param name="record">The record; if it was taken out since, its word is gone. Null if none was found.</param>
    /// <param name="at">Receives what is locked: nothing at false, see <see cref="TryLock"/>.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryLockFound(byte* record, ref LockedKey at)
    {
        if (record == null || !version.AdmitsAll) return false;
        if (!LockWord.TryTakeAtOnce(RecordTable.WordOf(record), at.IsExclusive)) return false;
        at.Record = record;
        return true;
    }

    /// <summary>Locks the record of a located key, or the key's absence.</summary>
    /// <param name="key">The key.</param>
    /// <param name="at">Receives what is locked.</param>
    /// <param name="held">A word of absent keys that the attempt has locked already, strongly enough; or null.</param>
    /// <param name="isAbsentExclusive">How to lock the word of absent keys.</param>
    /// <returns>
    /// <see cref="Outcome.Ok"/>; <see cref="Outcome.Retry"/>: others have the lock; <see cref="Outcome.CprShift"/>: the
    /// attempt belongs to the next version.
    /// </returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Outcome TryLock<TKey>(scoped TKey key, ref LockedKey at, ulong* held, bool isAbsentExclusive)
        where TKey : struct, IKey, allows ref struct
    {
        byte* record = table.Find(key, ref at.Entry);
        if (record == null || LockWord.TryTake(RecordTable.WordOf(record), at.IsExclusive) is not Locking.Taken)
            return TryLockFurther(key, ref at, record, held, isAbsentExclusive);
        at.Record = record;
        return version.AdmitsAll ? Outcome.Ok : Admit(ref at, held, isAbsentExclusive);
    }

    /// <summary>
    /// Decides whether an attempt may use what it has locked while a commit is under way; again whenever it has a
    /// stronger lock.
    /// </summary>
    /// <remarks>
    /// While others may be of the version being committed, an attempt of the next one that may delete a record locks
    /// the key's absence, too: its stamp there keeps the others from making the key anew.
    /// </remarks>
    /// <inheritdoc cref="TryLock"/>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public Outcome Admit(ref LockedKey at, ulong* held, bool isAbsentExclusive)
    {
        ulong* absence = absent.WordOf(at.Hash);
        if (version.IsPreparing && version.IsOfNext(at.Record == null ? absence : RecordTable.WordOf(at.Record)))
            return Outcome.CprShift;
        if (!version.StampsReads || !at.IsExclusive || at.Record == null || at.Absent != null || absence == held)
            return Outcome.Ok;
        if (LockWord.TryTake(absence, isAbsentExclusive) != Locking.Taken) return Outcome.Retry;
        at.Absent = absence;
        at.IsAbsentExclusive = isAbsentExclusive;
        return Outcome.Ok;
    }

    /// <summary>The bytes to be captured before a locked record is changed, or let go; 0 for none.</summary>
    /// <param name="at">The record.</param>
    /// <param name="isWritten">Whether it will be changed.</param>
    public long BytesToCapture(in LockedKey at, bool isWritten) => MustStamp(at, isWritten)
        ? RecordCopies.SizeOf(table.Layout.Key(at.Record), table.Layout.Value(at.Record))
        : 0;

    /// <summary>
    /// Captures a locked record, for which space is reserved, and stamps it: from then on no attempt of the version
    /// being committed uses it. Also stamps the key's absence.
    /// </summary>
    /// <inheritdoc cref="BytesToCapture"/>
    public void Stamp(in LockedKey at, bool isWritten)
    {
        if (at.Made != null) _ = LockWord.TryStamp(RecordTable.WordOf(at.Made), version.Stamp);
        if (version.StampsReads && at.Absent != null && !(Probe.On && Probe.Has(SeededBug.AbsenceNotStamped)))
            _ = LockWord.TryStamp(at.Absent, version.Stamp);
        if (!MustStamp(at, isWritten)) return;
        if (Probe.On && Probe.Has(SeededBug.NotCaptured)) return;
        captures.Add(table.Layout.Key(at.Record), table.Layout.Value(at.Record));
        bool isFirst = LockWord.TryStamp(RecordTable.WordOf(at.Record), version.Stamp);
        if (!isFirst && !(Probe.On && Probe.Has(SeededBug.CapturedTwice))) captures.DropLast();
    }

    /// <summary>Captures and stamps the only key of an attempt, if a commit under way asks for it.</summary>
    /// <returns>
    /// <see cref="Outcome.Ok"/>, or <see cref="Outcome.CapturesFull"/>; then nothing has changed.
    /// </returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Outcome TryStamp(in LockedKey at, bool isWritten) =>
        version.IsAtRest ? Outcome.Ok : TryStampOnly(at, isWritten);

    /// <summary>Reserves space for what <see cref="StampReserved"/> captures of the only key of an attempt.</summary>
    public bool TryReserveCaptures(in LockedKey at, bool isWritten) => !version.MayCapture
        || captures.TryReserve(BytesToCapture(at, isWritten), version.CommittingVersion);

    /// <summary>As <see cref="TryStamp"/>, with space reserved.</summary>
    public void StampReserved(in LockedKey at, bool isWritten)
    {
        version.Append();
        if (version.Captures) Stamp(at, isWritten);
    }

    /// <summary>Whether a value of some length can be written in place.</summary>
    public bool Fits(in LockedKey at, int keySlotSize, int length) => at.Record != null
        && (_valueSize != 0 || length <= ValueLayout.Capacity(RecordTable.ValueSlotOf(at.Record, keySlotSize)));

    /// <summary>Makes a record with a value for a key whose record can't take it, or that has none.</summary>
    /// <returns>False if memory is short.</returns>
    /// <exception cref="LimitExceededException">The record is too large, or memory is used up.</exception>
    public bool TryMake<TKey>(scoped TKey key, ref LockedKey at, int length, out Span<byte> value)
        where TKey : struct, IKey, allows ref struct
    {
        long capacity = at.Record == null ? length : length + (length / 2L); // it has grown, and may go on growing
        bool isMade = table.TryMake(lists, key, length, capacity, version.Stamp, out at.Made);
        value = isMade
            ? ValueLayout.Bytes(RecordTable.ValueSlotOf(at.Made, key.SlotSize), _valueSize)
            : default;
        return isMade;
    }

    /// <summary>Links the record that was made for an absent key. Its word stays exclusive.</summary>
    /// <exception cref="LimitExceededException">The system refuses memory for the index.</exception>
    public void Link(ref LockedKey at)
    {
        table.Link(at.Made, ref at.Entry);
        at.IsLinked = true;
    }

    /// <summary>Puts the record that was made into the place of the old one. Always succeeds.</summary>
    public void Replace(ref LockedKey at)
    {
        table.TakeOut(lists, at.Record, at.Made, ref at.Entry);
        at.Record = at.Made;
        at.Made = null;
    }

    /// <summary>Takes the record out. Always succeeds.</summary>
    public void Delete(ref LockedKey at)
    {
        table.TakeOut(lists, at.Record, null, ref at.Entry);
        at.Record = null;
    }

    /// <summary>Writes a value in place.</summary>
    public void Write(in LockedKey at, int keySlotSize, ReadOnlySpan<byte> value)
    {
        ValueSlot slot = ValueLayout.At(RecordTable.ValueSlotOf(at.Record, keySlotSize), _valueSize);
        Probe.Point(ProbePoint.RecordUpdate);
        _ = slot.TryReplace(value);
    }

    /// <summary>Makes the record that was linked the key's.</summary>
    public static void Confirm(ref LockedKey at)
    {
        if (!at.IsLinked) return;
        at.Record = at.Made;
        at.Made = null;
        at.IsLinked = false;
    }

    /// <summary>
    /// Releases what a located key has: locks, memory, and its pin. What was not confirmed is undone.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Release(ref LockedKey at)
    {
        if (at.Made != null) Undo(ref at);
        if (at.Record != null) LockWord.Release(RecordTable.WordOf(at.Record), at.IsExclusive);
        if (at.Absent != null) LockWord.Release(at.Absent, at.IsAbsentExclusive);
        table.Unpin(at.Entry);
    }

    private Outcome TryLockFurther<TKey>(
        scoped TKey key, ref LockedKey at, byte* record, ulong* held, bool isAbsentExclusive)
        where TKey : struct, IKey, allows ref struct
    {
        for (bool isAbsentLocked = false; ; record = table.Find(key, ref at.Entry))
        {
            if (record != null)
            {
                Locking locking = LockWord.TryTake(RecordTable.WordOf(record), at.IsExclusive);
                if (locking == Locking.Gone) continue;
                if (locking != Locking.Taken) return Outcome.Retry;
                at.Record = record;
                break;
            }

            if (isAbsentLocked || (Probe.On && Probe.Has(SeededBug.AbsenceNotLocked))) break;
            ulong* word = absent.WordOf(at.Hash);
            if (word != held)
            {
                if (LockWord.TryTake(word, isAbsentExclusive) != Locking.Taken) return Outcome.Retry;
                at.Absent = word;
                at.IsAbsentExclusive = isAbsentExclusive;
            }

            isAbsentLocked = true;
        }

        return version.AdmitsAll ? Outcome.Ok : Admit(ref at, held, isAbsentExclusive);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Outcome TryStampOnly(in LockedKey at, bool isWritten)
    {
        if (!TryReserveCaptures(at, isWritten)) return Outcome.CapturesFull;
        StampReserved(at, isWritten);
        return Outcome.Ok;
    }

    private bool MustStamp(in LockedKey at, bool isWritten) => at.Record != null
        && (isWritten || (version.StampsReads && !(Probe.On && Probe.Has(SeededBug.ReadsNotStamped))))
        && !LockWord.HasStamp(RecordTable.WordOf(at.Record), version.NextStamp);

    private void Undo(ref LockedKey at)
    {
        if (at.IsLinked) table.TakeOut(lists, at.Made, null, ref at.Entry);
        else table.Free(lists, at.Made, everLinked: false);
        at.Made = null;
    }
}
