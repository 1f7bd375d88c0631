"""A plugin for pytest: runs each test REPEAT times, and prints each result as Go does."""
import os


def pytest_generate_tests(metafunc):
    metafunc.fixturenames.append("repetition")
    metafunc.parametrize("repetition", range(int(os.environ["REPEAT"])))


def pytest_runtest_logreport(report):
    if report.when == "call" or report.failed:
        name = report.location[2].split("[")[0]
        print(f"\n--- {'FAIL' if report.failed else 'PASS'}: {name} ({report.duration:.3f}s)")
