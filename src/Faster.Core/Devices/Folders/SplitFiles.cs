using Faster.Invariants;

namespace Faster.Devices.Folders;

/// <summary>
/// A store's folder of which some files, by their names, lie in another folder, perhaps on another disk.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Each name belongs to one folder; a renaming stays within it.</item>
/// <item>Names in the other folder are durable before those in the main one that a sync covers.</item>
/// </list>
/// <para>Thread-safe as <see cref="StoreFiles"/> requires, once the other folder is attached.</para>
/// </remarks>
/// <param name="main">The store's folder, which this owns.</param>
/// <param name="isApart">Whether a file, or a log, of a name lies in the other folder.</param>
internal sealed class SplitFiles(StoreFiles main, Func<string, bool> isApart) : StoreFiles
{
    private StoreFiles? _apart;

    /// <summary>The main folder.</summary>
    public override string Name => main.Name;

    /// <summary>Attaches the other folder, which this then owns. Before that, only the main folder is used.</summary>
    public void Attach(StoreFiles apart)
    {
        Invariant.Check(_apart is null, $"'{_apart?.Name}' is attached already");
        _apart = apart;
    }

    /// <summary>
    /// The names of the files of both folders that belong there: what lies in the wrong one is left alone.
    /// </summary>
    public override IReadOnlyList<string> List() => _apart is null
        ? main.List()
        : [.. main.List().Where(name => !isApart(name)), .. _apart.List().Where(isApart)];

    /// <inheritdoc/>
    public override StoreFile Create(string name) => Of(name).Create(name);

    /// <inheritdoc/>
    public override StoreFile Open(string name) => Of(name).Open(name);

    /// <inheritdoc/>
    public override void Rename(string from, string to)
    {
        Invariant.Check(isApart(from) == isApart(to), $"'{from}' and '{to}' lie in one folder");
        Of(from).Rename(from, to);
    }

    /// <inheritdoc/>
    public override void Delete(string name) => Of(name).Delete(name);

    /// <inheritdoc/>
    public override void ThrowIfLost()
    {
        _apart?.ThrowIfLost();
        main.ThrowIfLost();
    }

    /// <inheritdoc/>
    public override void SyncNames()
    {
        _apart?.SyncNames();
        main.SyncNames();
    }

    /// <inheritdoc/>
    public override Device OpenLog(string name, long segmentBytes, bool unbuffered) =>
        Of(name).OpenLog(name, segmentBytes, unbuffered);

    /// <inheritdoc/>
    public override void Dispose()
    {
        _apart?.Dispose();
        main.Dispose();
    }

    private StoreFiles Of(string name) => isApart(name) ? Apart() : main;

    private StoreFiles Apart()
    {
        Invariant.Check(_apart is not null, $"the other folder is attached");
        return _apart;
    }
}
