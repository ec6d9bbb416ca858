using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Faster.Hosting.Tests;

/// <summary>Keeps what the categories of stores have logged.</summary>
internal sealed class TestLog : ILoggerProvider
{
    private readonly SemaphoreSlim _added = new(0);

    public ConcurrentQueue<string> Lines { get; } = [];

    /// <summary>Waits until a line has a text. For one caller at a time.</summary>
    public async Task UntilAsync(string text)
    {
        while (!Lines.Any(line => line.Contains(text, StringComparison.Ordinal))) await _added.WaitAsync();
    }

    public ILogger CreateLogger(string categoryName) => new Logger(this, categoryName);

    public void Dispose() => _added.Dispose();

    private sealed class Logger(TestLog log, string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter)
        {
            if (!category.StartsWith("Faster.", StringComparison.Ordinal)) return;
            log.Lines.Enqueue($"{category} {logLevel} {formatter(state, exception)}");
            log._added.Release();
        }
    }
}
