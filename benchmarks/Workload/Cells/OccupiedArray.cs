namespace Faster.Workload.Cells;

/// <summary>
/// Arrays whose memory this process has from the start, before it enters a <see cref="ControlGroup"/>: pinned, because
/// an array that the collector moves occupies other memory, and written, because memory is occupied when it is touched.
/// </summary>
internal static class OccupiedArray
{
    /// <summary>An array of zeros.</summary>
    public static T[] Of<T>(int length)
        where T : unmanaged
    {
        T[] array = GC.AllocateUninitializedArray<T>(length, pinned: true);
        array.AsSpan().Clear();
        return array;
    }
}
