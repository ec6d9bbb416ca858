using System.Runtime.InteropServices;
using Faster.Epochs;

namespace Faster.Tests.Epochs;

/// <summary>The writer unlinks a page, and poisons it in the action: the reader must never see the poison.</summary>
internal sealed unsafe class PageLitmus : Litmus, IDisposable
{
    private const int Line = 64;
    private const long Poison = -1;

    private readonly bool _quietly;

    // A line for the word that shows a page, and one for each of two pages.
    private readonly long* _lines = (long*)NativeMemory.AlignedAlloc(3 * Line, Line);
    private long* _taken;

    /// <param name="quietly">Whether the reader enters as a hit does, else by <c>Enter</c>.</param>
    public PageLitmus(bool quietly)
    {
        _quietly = quietly;
        *PageOf(0) = 0;
        Shown = (nint)PageOf(0);
    }

    private ref nint Shown => ref *(nint*)_lines;

    public void Dispose() => NativeMemory.AlignedFree(_lines);

    protected override void Prepare(EpochSlot* slot) => slot->Quiet = Table.Current;

    protected override bool TryTake(EpochSlot* slot)
    {
        bool entered = true;
        if (_quietly) entered = EpochTable.TryEnterQuiet(slot);
        else Table.Enter(slot);
        _taken = (long*)Volatile.Read(ref Shown);
        return entered;
    }

    protected override bool HasRun() => Volatile.Read(ref *_taken) == Poison;

    protected override void Change(long round)
    {
        var old = (long*)Shown;
        long* next = PageOf(round & 1);
        *next = 0;
        Interlocked.Exchange(ref Shown, (nint)next);
        Table.Bump(() => Volatile.Write(ref *old, Poison));
    }

    private long* PageOf(long number) => _lines + ((1 + number) * (Line / sizeof(long)));
}
