using System.Runtime.InteropServices;

namespace Faster.Engines.Transactional.Running;

/// <summary>Native memory of one session that grows, and then has new content. Not thread-safe.</summary>
/// <typeparam name="T">The type of the elements.</typeparam>
internal unsafe struct NativeSpace<T> : IDisposable
    where T : unmanaged
{
    private int _capacity;

    /// <summary>The first element.</summary>
    public T* First { get; private set; }

    /// <summary>An element.</summary>
    public readonly ref T this[int index] => ref First[index];

    /// <summary>Makes space for a number of elements, whose content is unspecified.</summary>
    public void Ensure(int count)
    {
        if (count > _capacity) Grow(count, keeps: 0);
    }

    /// <summary>Makes space for one more element than there are.</summary>
    public void EnsureNext(int count)
    {
        if (count == _capacity) Grow(count + 1, count);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        NativeMemory.Free(First);
        First = null;
        _capacity = 0;
    }

    private void Grow(int count, int keeps)
    {
        int capacity = Math.Max(count, Math.Max(16, _capacity * 2));
        var grown = (T*)NativeMemory.Alloc((nuint)capacity, (nuint)sizeof(T));
        new ReadOnlySpan<T>(First, keeps).CopyTo(new Span<T>(grown, capacity));
        NativeMemory.Free(First);
        First = grown;
        _capacity = capacity;
    }
}
